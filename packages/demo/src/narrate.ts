/** Prints one line when a workload looks different from before, and one for each Event of the operator. */

import { counted } from '@reloader/operator/embed';
import { type Client, createInformer, kinds } from '@reloader/runtime';

export type Say = (text: string) => void;

interface Status {
  readonly replicas?: number;
  readonly updatedReplicas?: number;
  readonly availableReplicas?: number;
  readonly updatedNumberScheduled?: number;
  readonly numberAvailable?: number;
  readonly currentNumberScheduled?: number;
}

interface Told {
  readonly reason?: string;
  readonly message?: string;
  readonly source?: { readonly component?: string };
}

/** Runs until the signal aborts. */
export function narrate(client: Client, say: Say, signal: AbortSignal): Promise<unknown> {
  const last = new Map<string, string>();
  const tell = (subject: string, text: string): void => {
    if (last.get(subject) === text) return;
    last.set(subject, text);
    say(`${subject.padEnd(34)} ${text}`);
  };
  const workloads = (['Deployment', 'StatefulSet', 'DaemonSet'] as const).map((kind) => {
    const informer = createInformer({ client, type: kinds[kind] });
    informer.addHandler(({ type, object }) => {
      const { namespace, name } = object.metadata;
      const status = (object.status ?? {}) as Status;
      const all = status.replicas ?? status.currentNumberScheduled ?? 0;
      const updated = status.updatedReplicas ?? status.updatedNumberScheduled ?? 0;
      const available = status.availableReplicas ?? status.numberAvailable ?? 0;
      const text = `${counted(all, 'pod')}, ${available} available, ${updated} up to date`;
      tell(`${kind} ${namespace}/${name}`, type === 'delete' ? 'deleted' : text);
    });
    return informer.run(signal);
  });
  const events = createInformer({ client, type: kinds.CoreEvent });
  events.addHandler(({ type, object }) => {
    const { reason, message, source } = object as Told;
    if (type !== 'delete' && source?.component?.startsWith('reloader')) say(`» ${reason}: ${message}`);
  });
  return Promise.all([...workloads, events.run(signal)]);
}
