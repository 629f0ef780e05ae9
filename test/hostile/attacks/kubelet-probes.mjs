// Requests the probes continuously, like a kubelet but more often; in its own thread, so that other work of the test
// does not count as slowness of the operator. Time in which the operator or this thread waited for a processor does not
// count either.
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

/** Far beyond the promised time: a busy machine may take that long. */
const PATIENCE_MS = 30_000;

/** How long a thread has waited for a processor so far, in milliseconds. */
function waitedFor(task) {
  return Number(readFileSync(`/proc/${task}/schedstat`, 'utf8').split(' ')[1]) / 1e6;
}

const stoodInLine = () => waitedFor(`${workerData.pid}/task/${workerData.pid}`) + waitedFor('thread-self');

const waits = [];
const failures = [];
let isOver = false;
parentPort.once('message', () => {
  isOver = true;
});

function probe(path) {
  return new Promise((resolve) => {
    const [start, line] = [performance.now(), stoodInLine()];
    const end = (failure) => {
      waits.push(performance.now() - start - (stoodInLine() - line));
      if (failure) failures.push(`${path}: ${failure}`);
      resolve();
    };
    const options = { host: '127.0.0.1', port: workerData.port, path, agent: false, timeout: PATIENCE_MS };
    const sent = request(options, (response) => {
      response.resume().once('end', () => end(response.statusCode === 200 ? undefined : response.statusCode));
    });
    sent.once('timeout', () => sent.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
    sent.once('error', (error) => end(error.message));
    sent.end();
  });
}

while (!isOver) {
  for (const path of ['/live', '/readyz']) await probe(path);
  parentPort.postMessage({ round: true });
}
parentPort.postMessage({ slowestMs: Math.max(...waits), failures });
