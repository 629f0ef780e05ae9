// The same through the runtime: client, informers with a digest projection, metrics and logger as in a real program.
// With `json` as second argument it reads JSON instead of protobuf.
import { createHash } from 'node:crypto';
import {
  ConfigMapsInBytes,
  createClient,
  createInformer,
  createLogger,
  createRegistry,
  identityOf,
  kinds,
  loadConfig,
  SecretsInBytes,
} from '@reloader/runtime';

const began = performance.now();
const logger = createLogger({ level: 'warn' });
const metrics = createRegistry();
const config = await loadConfig({ kubeconfig: process.argv[2] });
const client = createClient({ config, logger, metrics });

function digest(object) {
  const hash = createHash('sha256');
  for (const value of Object.values(object.data ?? {})) hash.update(value);
  return { metadata: identityOf(object), digest: hash.digest('base64url') };
}

const types =
  process.argv[3] === 'json' ? [kinds.Secret, kinds.ConfigMap] : [SecretsInBytes, ConfigMapsInBytes];
const informers = types.map((type) => createInformer({ client, logger, metrics, type, project: digest }));
const stop = new AbortController();
for (const informer of informers) void informer.run(stop.signal);
await Promise.all(informers.map((informer) => informer.whenSynced()));
const objects = informers.reduce((sum, { store }) => sum + store.size, 0);
console.log(JSON.stringify({ syncedMs: performance.now() - began, objects }));
