/** A program with one reconcile that waits for its parent; run by `termination.test.ts`. */
import { createController } from '../controller/controller.ts';
import { channel } from '../controller/sources.ts';
import { createLogger } from '../logging/create-logger.ts';
import { Manager } from './manager.ts';
import { failFast, onTermination } from './process-signals.ts';

const say = (line: string): boolean => process.stdout.write(`${line}\n`);
const heard = (word: string): Promise<void> =>
  new Promise((resolve) => {
    process.stdin.on('data', (data) => {
      if (String(data).includes(word)) resolve();
    });
  });

failFast({ logger: createLogger({ destination: process.stdout, format: 'text' }) });
const { signal } = onTermination();
signal.addEventListener('abort', () => say('stopping'));
void heard('reject').then(() => {
  throw new Error('on purpose');
});

const work = channel('work');
work.trigger({ name: 'one' });
const manager = new Manager();
manager.add(
  createController({
    name: 'child',
    sources: [work],
    reconcile: async () => {
      const finish = heard('finish');
      say('in hand');
      await finish;
      say('finished');
    },
  }),
);
await manager.run(signal);
say('stopped');
process.stdin.destroy();
