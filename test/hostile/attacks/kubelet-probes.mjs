// Asks for the probes all the time, as a kubelet does, only more often; in a thread of its own, so that whatever else the
// test does is not taken for slowness of the operator.
import { request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const waits = [];
const failures = [];
let isOver = false;
parentPort.once('message', () => {
  isOver = true;
});

function probe(path) {
  return new Promise((resolve) => {
    const start = performance.now();
    const end = (failure) => {
      waits.push(performance.now() - start);
      if (failure) failures.push(`${path}: ${failure}`);
      resolve();
    };
    const options = { host: '127.0.0.1', port: workerData.port, path, agent: false, timeout: 5_000 };
    const sent = request(options, (response) => {
      response.resume().once('end', () => end(response.statusCode === 200 ? undefined : response.statusCode));
    });
    sent.once('timeout', () => sent.destroy(new Error('no answer within 5 s')));
    sent.once('error', (error) => end(error.message));
    sent.end();
  });
}

while (!isOver) {
  for (const path of ['/live', '/readyz']) await probe(path);
  parentPort.postMessage({ round: true });
}
parentPort.postMessage({ slowestMs: Math.max(...waits), failures });
