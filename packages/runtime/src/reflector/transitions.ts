/** Shared by several transitions. */
import type { KubernetesObject } from '../model/types.ts';
import type { Failure } from './failure.ts';
import type { Effect, MachineConfig, Memory, PageRequest, Problem, State, Transition } from './state.ts';

export const RECEIVE: Effect = { type: 'receive' };

/** Back off with the failure recorded, then continue from `state`. */
export function pause<T extends KubernetesObject>(state: State, problem: Problem): Transition<T> {
  const { kind, error } = problem;
  const phase = kind === 'forbidden' || kind === 'missing' ? kind : 'backing-off';
  return {
    state: { ...state, memory: { ...state.memory, trouble: { phase, error } } },
    effect: { type: 'wait', retryAfterMs: retryAfterOf(problem) },
    problem,
  };
}

function retryAfterOf(problem: Problem | Failure): number {
  return 'retryAfterMs' in problem ? (problem.retryAfterMs ?? 0) : 0;
}

/** A successful answer. */
export function withoutTrouble(memory: Memory): Memory {
  return memory.trouble ? { ...memory, trouble: undefined } : memory;
}

/** Data was received, so the connection is alive. */
export function withoutStalls(memory: Memory): Memory {
  return memory.stalls > 0 ? { ...memory, stalls: 0 } : memory;
}

export function withStall(memory: Memory): Memory {
  return { ...memory, stalls: memory.stalls + 1 };
}

/** Starts to read the whole collection, in the best supported way. */
export function fill<T extends KubernetesObject>(config: MachineConfig, memory: Memory): Transition<T> {
  const asked = memory.versionUnavailable ? '' : (memory.version ?? config.firstListVersion);
  const output = { type: 'begin' } as const;
  if (memory.watchList === 'use') {
    return {
      state: { name: 'watch-listing', memory, opened: false, asked },
      output,
      effect: { type: 'watch', resourceVersion: asked, initial: true },
    };
  }
  const request = firstPage(config, memory, asked);
  return {
    state: { name: 'listing', memory, request, asked, version: undefined },
    output,
    effect: { type: 'list', request },
  };
}

/** Opens a watch from the store's version. */
export function watchFrom<T extends KubernetesObject>(memory: Memory, at: number): Transition<T> {
  const version = memory.version ?? '';
  return {
    state: {
      name: 'watching',
      memory,
      sentAt: at,
      opened: false,
      progressed: false,
      unordered: version === '' || version === '0',
    },
    effect: { type: 'watch', resourceVersion: version, initial: false },
  };
}

/**
 * A list of a known version is requested in one piece, because only then may the server's cache answer it; it is
 * decoded item by item either way.
 */
function firstPage(config: MachineConfig, memory: Memory, asked: string): PageRequest {
  const paged = asked === '' || asked === '0' || memory.keepPaging;
  return { ...versionOf(asked), ...(paged ? limitOf(config) : {}) };
}

export function versionOf(asked: string): PageRequest {
  if (asked === '') return {};
  if (asked === '0') return { resourceVersion: '0' };
  return { resourceVersion: asked, resourceVersionMatch: 'NotOlderThan' };
}

export function limitOf(config: MachineConfig): PageRequest {
  return config.pageSize > 0 ? { limit: config.pageSize } : {};
}
