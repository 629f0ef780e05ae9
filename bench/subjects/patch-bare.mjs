// The floor of a reload of many workloads: a bare client PATCHes Deployments over a given number of connections. Prints
// a line when it is connected, waits for a line, and prints another when all requests were answered.
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';

const [, , kubeconfig, namespace, count, connections, mark] = process.argv;
const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8'));
const { cluster } = clusters[0];
const { user } = users[0];
const agent = new Agent({
  keepAlive: true,
  maxSockets: Number(connections),
  ca: Buffer.from(cluster['certificate-authority-data'], 'base64'),
});

function send(method, path, body) {
  return new Promise((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${user.token}`,
      ...(body && { 'content-type': 'application/strategic-merge-patch+json' }),
    };
    const sent = request(`${cluster.server}${path}`, { agent, method, headers }, (response) => {
      response.resume();
      response.on('end', () =>
        response.statusCode < 300 ? resolve() : reject(new Error(`${path} answered ${response.statusCode}`)),
      );
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

// The same fields that a reloader writes: one variable in the template, one annotation.
const body = JSON.stringify({
  metadata: { annotations: { 'bench/mark': mark } },
  spec: {
    template: { spec: { containers: [{ name: 'main', env: [{ name: 'BENCH_MARK', value: mark }] }] } },
  },
});

await Promise.all(Array.from({ length: Number(connections) }, () => send('GET', '/version')));
console.log(JSON.stringify({ connected: true }));
createInterface({ input: process.stdin }).once('line', async () => {
  let next = 0;
  const worker = async () => {
    while (next < Number(count)) {
      const path = `/apis/apps/v1/namespaces/${namespace}/deployments/app-${next++}`;
      await send('PATCH', path, body);
    }
  };
  await Promise.all(Array.from({ length: Number(connections) }, worker));
  console.log(JSON.stringify({ done: true }));
  process.exit();
});
