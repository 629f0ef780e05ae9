/** Failed reloads of Argo Rollouts are undone, with the real controller. */
import { vi } from 'vitest';
import { playReally } from './play-really.ts';
import { undoingRollouts } from './scenarios/undoing.ts';

vi.setConfig({ testTimeout: 300_000 });

playReally(undoingRollouts, { argoRollouts: true });
