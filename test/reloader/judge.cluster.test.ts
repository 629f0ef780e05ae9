/** Rollouts that fail, wait or block others, on the real control plane. */
import { vi } from 'vitest';
import { playReally } from './play-really.ts';
import { failing } from './scenarios/failing.ts';
import { slots } from './scenarios/slots.ts';

/** The scenarios check the pods after half a minute, and all of them run at once. */
vi.setConfig({ testTimeout: 300_000 });

playReally([...failing, ...slots]);
