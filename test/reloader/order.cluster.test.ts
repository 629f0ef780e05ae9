/** Which workloads a change reaches, and in which order, on the real control plane. */
import { vi } from 'vitest';
import { playReally } from './play-really.ts';
import { conditions } from './scenarios/conditions.ts';
import { canaries, waves } from './scenarios/order.ts';

/** The scenarios check the pods after a while, and all of them run at once. */
vi.setConfig({ testTimeout: 300_000 });

playReally([...conditions, ...waves, ...canaries]);
