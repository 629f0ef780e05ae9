export type { ReloaderSettings } from './reloader/model/settings.ts';
