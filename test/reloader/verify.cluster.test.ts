/** Whether reloads worked, on the real control plane. */
import { vi } from 'vitest';
import { playReally } from './play-really.ts';
import { holding } from './scenarios/holding.ts';
import { verifying } from './scenarios/verifying.ts';

/** Pods are looked at after a while, and all scenarios play at once. */
vi.setConfig({ testTimeout: 300_000 });

playReally([...verifying, ...holding]);
