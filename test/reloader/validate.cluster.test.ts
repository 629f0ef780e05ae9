/** Content that is validated before it is rolled out, on the real control plane. */
import { vi } from 'vitest';
import { playReally } from './play-really.ts';
import { validating } from './scenarios/validating.ts';

/** All scenarios run at once. */
vi.setConfig({ testTimeout: 300_000 });

playReally(validating);
