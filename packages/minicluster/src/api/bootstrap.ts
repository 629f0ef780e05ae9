/** What a cluster has before anybody uses it. */
import type { LocalApi } from './local-api.ts';

const NAMESPACES = { group: '', plural: 'namespaces' };
const STARTER = 'kube-apiserver';

export function bootstrap(api: LocalApi): void {
  for (const name of ['kube-system', 'kube-public', 'kube-node-lease', 'default']) {
    api.create(NAMESPACES, { metadata: { name } }, STARTER);
  }
}
