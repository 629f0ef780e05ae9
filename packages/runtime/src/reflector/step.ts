/**
 * The reflector's decisions. In: a state and an input. Out: the next state, the store's commands, and the next
 * action. Pure: the same arguments always give the same result.
 *
 * Guarantees: a store is replaced only by a complete list; its version never goes back; a failure never ends the
 * machine; a failure that a relist cannot fix never causes one.
 */
import type { KubernetesObject } from '../model/types.ts';
import type { Input, MachineConfig, State, Transition } from './state.ts';
import { stepListing, stepWatchListing } from './step-initial.ts';
import { stepWatching } from './step-watch.ts';
import { fill, watchFrom } from './transitions.ts';

export function step<T extends KubernetesObject>(
  config: MachineConfig,
  state: State,
  input: Input<T>,
): Transition<T> {
  switch (state.name) {
    case 'empty':
      return input.type === 'go' ? fill(config, state.memory) : impossible(state, input);
    case 'listed':
      return input.type === 'go' ? watchFrom(state.memory, input.at) : impossible(state, input);
    case 'watch-listing':
      return stepWatchListing(config, state, input) ?? impossible(state, input);
    case 'listing':
      return stepListing(config, state, input) ?? impossible(state, input);
    case 'watching':
      return stepWatching(config, state, input) ?? impossible(state, input);
  }
}

/** Inputs answer effects, so a wrong pair is a bug of the caller. */
function impossible(state: State, input: Input<KubernetesObject>): never {
  throw new TypeError(`A reflector in state "${state.name}" cannot take the input "${input.type}"`);
}
