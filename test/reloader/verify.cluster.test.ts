/** The outcome of reloads, on the real control plane. */
import { vi } from 'vitest';
import { playReally } from './play-really.ts';
import { holding } from './scenarios/holding.ts';
import { verifying } from './scenarios/verifying.ts';

/** The scenarios check the pods after a while, and all of them run at once. */
vi.setConfig({ testTimeout: 300_000 });

playReally([...verifying, ...holding]);
