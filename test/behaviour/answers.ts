/** A server's answers to a case, without values that differ between runs. */
import type { BehaviourCase } from './case.ts';
import { Normaliser } from './normalise.ts';
import { Probe, type Target } from './probe.ts';

export const RECORDING = new URL('recorded.generated.json', import.meta.url);

export type Recording = Record<string, unknown[]>;

let namespaces = 0;

/** The normalised answers of one case, in order. */
export async function answersOf(target: Target, { steps }: BehaviourCase): Promise<unknown[]> {
  const namespace = `case-${process.pid}-${++namespaces}`;
  const probe = new Probe(target, namespace);
  const normaliser = new Normaliser(namespace);
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } };
  await probe.send({ method: 'POST', path: '/api/v1/namespaces', body });
  // A pod is admitted only once its ServiceAccount exists, and lists include the cluster's CA ConfigMap.
  await probe.run({ until: `/api/v1/namespaces/${namespace}/serviceaccounts/default` });
  await probe.run({ until: `/api/v1/namespaces/${namespace}/configmaps/kube-root-ca.crt` });
  try {
    const answers: unknown[] = [];
    for (const step of steps) {
      const answer = await probe.run(step);
      if (answer) answers.push(normaliser.apply(answer));
    }
    return answers;
  } finally {
    await probe.send({ method: 'DELETE', path: `/api/v1/namespaces/${namespace}` });
  }
}
