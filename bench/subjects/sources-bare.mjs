// The floor: watch-list streams of Secrets and ConfigMaps over one HTTP/2 connection; each value is hashed and dropped.
// Prints a line when both are in sync.
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { connect } from 'node:http2';
import { parse } from 'yaml';

const began = performance.now();
const { clusters, users } = parse(readFileSync(process.argv[2], 'utf8'));
const { cluster } = clusters[0];
const { user } = users[0];
const session = connect(cluster.server, {
  ca: Buffer.from(cluster['certificate-authority-data'], 'base64'),
  settings: { initialWindowSize: 1024 * 1024 },
});
session.once('connect', () => session.setLocalWindowSize(2 * 1024 * 1024));
const digests = new Map();

function follow(plural) {
  return new Promise((synced) => {
    const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
    const stream = session.request({
      ':path': `/api/v1/${plural}?${query}`,
      authorization: `Bearer ${user.token}`,
    });
    let rest = Buffer.alloc(0);
    stream.on('data', (chunk) => {
      let buffer = rest.length > 0 ? Buffer.concat([rest, chunk]) : chunk;
      for (let end = buffer.indexOf(10); end >= 0; end = buffer.indexOf(10)) {
        const { type, object } = JSON.parse(buffer.toString('utf8', 0, end));
        buffer = buffer.subarray(end + 1);
        if (type === 'BOOKMARK') {
          if (object.metadata.annotations?.['k8s.io/initial-events-end'] === 'true') synced();
          continue;
        }
        const hash = createHash('sha256');
        for (const value of Object.values(object.data ?? {})) hash.update(value);
        digests.set(
          `${plural}/${object.metadata.namespace}/${object.metadata.name}`,
          hash.digest('base64url'),
        );
      }
      rest = Buffer.from(buffer);
    });
  });
}

await Promise.all([follow('secrets'), follow('configmaps')]);
console.log(JSON.stringify({ syncedMs: performance.now() - began, objects: digests.size }));
