// Loaded into the operator's process before its program. Writes a line for each time that the event loop was blocked:
// when it ended, and for how long. Only the time in which the main thread itself used the processor counts, so a busy
// machine, which takes the processor away from the whole process, does not count as a stall.
import { appendFileSync, readFileSync } from 'node:fs';
import { isMainThread } from 'node:worker_threads';

const EVERY_MS = 5;
const LEAST_MS = 15;
const file = process.env.STALL_METER_FILE;

/** Processor time of the main thread, in milliseconds. */
function processorTime() {
  return Number(readFileSync(`/proc/self/task/${process.pid}/schedstat`, 'utf8').split(' ')[0]) / 1e6;
}

if (isMainThread && file) {
  let [wall, used] = [performance.now(), processorTime()];
  setInterval(() => {
    const [nowWall, nowUsed] = [performance.now(), processorTime()];
    const stood = Math.min(nowWall - wall - EVERY_MS, nowUsed - used);
    [wall, used] = [nowWall, nowUsed];
    if (stood >= LEAST_MS) appendFileSync(file, `${Date.now()} ${stood.toFixed(1)}\n`);
  }, EVERY_MS).unref();
}
