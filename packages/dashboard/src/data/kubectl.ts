/** Terminal commands for what the page shows or does. Names come from the cluster, so they are quoted. Pure. */
import type { Wait } from '@reloader/operator/api';
import type { Ref } from './route.ts';
import { HELD_BY_PEOPLE, needsApproval } from './words.ts';

const FREEZE = 'reloader.stakater.com/freeze';
const FROZEN = `${FREEZE}=true --overwrite`;
/** A reason that stayed would be shown with the next freeze. */
const THAWED = `${FREEZE}- ${FREEZE}-reason-`;

export interface Command {
  readonly what: string;
  readonly text: string;
}

export function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

function objectOf({ kind, name }: Ref): string {
  return quoted(`${kind.toLowerCase()}/${name}`);
}

export function freezeCommand(ref: Ref, freeze: boolean): string {
  return `kubectl annotate ${objectOf(ref)} -n ${quoted(ref.namespace)} ${freeze ? FROZEN : THAWED}`;
}

export function freezeNamespaceCommand(namespace: string, freeze: boolean): string {
  return `kubectl annotate namespace ${quoted(namespace)} ${freeze ? FROZEN : THAWED}`;
}

export function workloadCommands(ref: Ref, isFrozen: boolean, pending?: Wait): readonly Command[] {
  const object = objectOf(ref);
  const namespace = quoted(ref.namespace);
  const rolls = ['Deployment', 'StatefulSet', 'DaemonSet'].includes(ref.kind);
  return [
    { what: 'Explain it', text: `kubectl reloader explain ${object} -n ${namespace}` },
    { what: 'Its past reloads', text: `kubectl reloader history ${object} -n ${namespace}` },
    ...(rolls
      ? [{ what: 'Follow its rollout', text: `kubectl rollout status ${object} -n ${namespace}` }]
      : []),
    { what: 'Events about it', text: `kubectl events -n ${namespace} --for ${object}` },
    ...releaseCommands(ref, pending),
    isFrozen
      ? { what: 'Unfreeze', text: freezeCommand(ref, false) }
      : { what: 'Freeze', text: freezeCommand(ref, true) },
  ];
}

export function releaseCommands(ref: Ref, pending: Wait | undefined): readonly Command[] {
  if (pending?.change === undefined || HELD_BY_PEOPLE.has(pending.why)) return [];
  const where = `${objectOf(ref)} -n ${quoted(ref.namespace)}`;
  const change = `--change ${quoted(pending.change)}`;
  return [
    ...(needsApproval(pending.why)
      ? [{ what: 'Approve the change', text: `kubectl reloader approve ${where} ${change}` }]
      : []),
    { what: 'Reload now', text: `kubectl reloader now ${where} ${change}` },
  ];
}

export function sourceCommands(ref: Ref): readonly Command[] {
  const namespace = quoted(ref.namespace);
  return [
    { what: 'What would happen', text: `kubectl reloader what-if ${objectOf(ref)} -n ${namespace}` },
    // Prints the keys and sizes, never the values.
    { what: 'Look at it', text: `kubectl describe ${objectOf(ref)} -n ${namespace}` },
  ];
}

/** For a cluster in which nothing is annotated yet. */
export const FIRST_STEPS: readonly Command[] = [
  {
    what: 'Opt in a Deployment',
    text: 'kubectl annotate deployment/NAME -n NAMESPACE reloader.stakater.com/auto=true',
  },
  { what: 'Then change what it uses', text: 'kubectl edit configmap/NAME -n NAMESPACE' },
];
