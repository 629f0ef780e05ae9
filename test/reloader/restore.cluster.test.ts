/** The operator restores ConfigMaps after a failed reload, on the real control plane. */
import { vi } from 'vitest';
import { playReally } from './play-really.ts';
import { restoring } from './scenarios/restoring.ts';

/** The scenarios check the pods after a while, and all of them run at once. */
vi.setConfig({ testTimeout: 300_000 });

playReally(restoring);
