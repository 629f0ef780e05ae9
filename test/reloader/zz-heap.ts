import { startMinicluster } from '@reloader/minicluster';
import { createClient, kinds } from '@reloader/runtime';
import { build } from 'esbuild';
import { spawn } from 'node:child_process';
import { readdirSync, copyFileSync, mkdirSync, rmSync, readFileSync } from 'node:fs';
import { installDefinitions } from '/work/main/test/reloader/definitions.ts';
const c = await startMinicluster({ listen: {} });
const client = createClient({ transport: c.transport() });
await installDefinitions(client);
await c.writeKubeconfig('/tmp/heap/kc');
for (let i = 0; i < 20; i++) await client.create(kinds.Secret, { metadata: { name: `secret-${i}`, namespace: 'default' }, data: { password: Buffer.from(`CANARY${i}-hello`).toString('base64') } });
mkdirSync('/tmp/heap/dist/cli', { recursive: true });
await build({ entryPoints: ['/work/main/packages/operator/src/cli/main.ts'], outfile: '/tmp/heap/dist/cli/main.js', bundle: true, platform: 'node', format: 'esm', target: 'node20', conditions: ['@reloader/source'], logLevel: 'warning', banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" } });
copyFileSync('/work/main/packages/operator/package.json', '/tmp/heap/package.json');
for (const f of readdirSync('/tmp/heap')) if (f.endsWith('.heapsnapshot')) rmSync('/tmp/heap/' + f);
const child = spawn(process.execPath, ['--heapsnapshot-signal=SIGUSR2', '--diagnostic-dir=/tmp/heap', '/tmp/heap/dist/cli/main.js', '--kubeconfig=/tmp/heap/kc', '--http-bind-address=127.0.0.1:0', '--log-level=warning'], { stdio: 'inherit', env: { PATH: process.env.PATH, POD_NAMESPACE: 'default' } });
await new Promise((r) => setTimeout(r, 4000));
for (let i = 0; i < 5; i++) await client.patch(kinds.Secret, { namespace: 'default', name: `secret-${i}` }, { type: 'merge', body: { data: { password: Buffer.from(`CANARY${i}-changed`).toString('base64') } } });
await new Promise((r) => setTimeout(r, 2500));
child.kill('SIGUSR2');
await new Promise((r) => setTimeout(r, 6000));
child.kill('SIGKILL');
await c.stop();
const file = readdirSync('/tmp/heap').find((f) => f.endsWith('.heapsnapshot'));
const snap = JSON.parse(readFileSync('/tmp/heap/' + file, 'utf8'));
const { nodes, edges, strings, snapshot: { meta } } = snap;
const nf = meta.node_fields, ef = meta.edge_fields, nt = meta.node_types[0], et = meta.edge_types[0];
const N = nf.length, E = ef.length;
const type = nf.indexOf('type'), name = nf.indexOf('name'), ec = nf.indexOf('edge_count');
const retainers = new Map<number, [number, string][]>();
let e = 0;
for (let n = 0; n < nodes.length; n += N) {
  for (let k = 0; k < nodes[n + ec]; k++, e++) {
    const et_ = et[edges[e * E]]; const nm = edges[e * E + 1]; const to = edges[e * E + 2];
    if (et_ === 'weak') continue;
    const label = et_ === 'element' || et_ === 'hidden' ? `[${nm}]` : strings[nm];
    (retainers.get(to) ?? retainers.set(to, []).get(to)!).push([n, `${et_}:${label}`]);
  }
}
let shown = 0;
const seen = new Set<number>();
for (let n = 0; n < nodes.length; n += N) {
  const s = strings[nodes[n + name]];
  if (!s.includes('Q0FOQVJZ') || !['string', 'concatenated string', 'sliced string'].includes(nt[nodes[n + type]])) continue;
  console.log('STRING', nt[nodes[n + type]], JSON.stringify(s.slice(0, 160)), s.length);
  let cur = n; const path: string[] = []; const visited = new Set<number>();
  for (let d = 0; d < 14; d++) {
    const r = (retainers.get(cur) ?? []).find(([f]) => !visited.has(f));
    if (!r) break;
    visited.add(r[0]);
    path.push(`${r[1]} <- ${nt[nodes[r[0] + type]]} ${strings[nodes[r[0] + name]].slice(0, 60)}`);
    cur = r[0];
  }
  console.log('   ' + path.join('\n   '));
  if (++shown >= 6) break;
}
process.exit(0);
