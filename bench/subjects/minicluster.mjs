// A minicluster that listens on a port and holds the given number of ConfigMaps. Prints its address.
import { startMinicluster } from '@reloader/minicluster';

const cluster = await startMinicluster({ listen: {}, workloads: false });
const count = Number(process.argv[2] ?? 0);
for (let index = 0; index < count; index++) {
  const metadata = { namespace: 'default', name: `object-${index}` };
  const object = { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { n: String(index) } };
  cluster.api.create({ group: '', plural: 'configmaps' }, object);
}
console.log(JSON.stringify({ url: cluster.url, ca: cluster.ca, token: cluster.adminToken }));
