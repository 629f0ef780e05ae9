/** Reloads that failed are undone, on the real control plane. */
import { vi } from 'vitest';
import { playReally } from './play-really.ts';
import { undoing } from './scenarios/undoing.ts';

/** Pods are looked at after a while, and all scenarios play at once. */
vi.setConfig({ testTimeout: 300_000 });

playReally(undoing);
