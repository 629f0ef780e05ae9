export { type ChangeEntry, History, type HistoryEntry, type RequestEntry } from './history.ts';
export { ReplayError, replay } from './replay.ts';
