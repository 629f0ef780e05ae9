/** Failed reloads are undone, on the real control plane. */
import { vi } from 'vitest';
import { playReally } from './play-really.ts';
import { undoing } from './scenarios/undoing.ts';

/** The scenarios check the pods after a while, and all of them run at once. */
vi.setConfig({ testTimeout: 300_000 });

playReally(undoing);
