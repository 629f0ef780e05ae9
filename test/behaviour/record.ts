/** `npx tsx test/behaviour/record.ts`: records the answers of a real API server. */
import { writeFileSync } from 'node:fs';
import { startControlPlane } from '../control-plane/start.ts';
import { answersOf, RECORDING, type Recording } from './answers.ts';
import { allCases } from './cases/index.ts';

const cluster = await startControlPlane({ workloads: true });
const target = { url: cluster.server, ca: cluster.authority.certificate, token: cluster.adminToken };
const recording: Recording = {};
try {
  for (const { title, cases } of allCases) {
    for (const behaviour of cases) {
      console.log(`${title}: ${behaviour.name}`);
      recording[`${title}: ${behaviour.name}`] = await answersOf(target, behaviour);
    }
  }
  writeFileSync(RECORDING, `${JSON.stringify(recording, null, 1)}\n`);
} finally {
  await cluster.stop();
}
