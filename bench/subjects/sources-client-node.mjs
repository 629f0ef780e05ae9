// The same with the informer of the official client, which keeps whole objects.
import { CoreV1Api, KubeConfig, makeInformer } from '@kubernetes/client-node';

const began = performance.now();
const config = new KubeConfig();
config.loadFromFile(process.argv[2]);
const api = config.makeApiClient(CoreV1Api);
const informers = [
  makeInformer(config, '/api/v1/secrets', () => api.listSecretForAllNamespaces()),
  makeInformer(config, '/api/v1/configmaps', () => api.listConfigMapForAllNamespaces()),
];
await Promise.all(informers.map((informer) => informer.start()));
const objects = informers.reduce((sum, informer) => sum + informer.list().length, 0);
console.log(JSON.stringify({ syncedMs: performance.now() - began, objects }));
