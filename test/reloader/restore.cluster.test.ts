/** ConfigMaps are put back after a reload that failed, on the real control plane. */
import { vi } from 'vitest';
import { playReally } from './play-really.ts';
import { restoring } from './scenarios/restoring.ts';

/** Pods are looked at after a while, and all scenarios play at once. */
vi.setConfig({ testTimeout: 300_000 });

playReally(restoring);
