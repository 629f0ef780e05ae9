// Loaded before the operator (`node --expose-gc --import probe.mjs`): collects garbage and answers with the memory and
// resources that the process holds. Listens on loopback, at the port in SOAK_PROBE_PORT.
import { createServer } from 'node:http';

const ROUNDS = 4;

const server = createServer(async (_, response) => {
  for (let round = 0; round < ROUNDS; round += 1) {
    globalThis.gc();
    await new Promise((resolve) => setImmediate(resolve));
  }
  const resources = {};
  for (const name of process.getActiveResourcesInfo()) resources[name] = (resources[name] ?? 0) + 1;
  const { heapUsed, rss, external } = process.memoryUsage();
  response.setHeader('connection', 'close');
  response.end(JSON.stringify({ heap: heapUsed, rss, external, resources }));
});
server.listen(Number(process.env.SOAK_PROBE_PORT), '127.0.0.1');
server.unref();
