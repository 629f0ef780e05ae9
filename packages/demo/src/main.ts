/** `npm start` */

import { UsageError } from '@reloader/operator/embed';
import { createLogger, onTermination } from '@reloader/runtime';
import { DEMO_HELP, runDemo } from './run.ts';

const termination = onTermination({ logger: createLogger({ level: 'warn', format: 'text' }) });
const readerGone = new AbortController();
const signal = AbortSignal.any([termination.signal, readerGone.signal]);
// `npm start | head`, or a closed terminal: the reader of the output is gone. The demo shuts down in order, so that it
// leaves nothing behind.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE' && error.code !== 'EIO') throw error;
  readerGone.abort(error);
});
process.once('SIGHUP', () => readerGone.abort(new Error('The terminal was closed')));
try {
  process.exitCode = await runDemo(process.argv.slice(2), signal);
} catch (error) {
  if (readerGone.signal.aborted) process.exit(0);
  const usage = error instanceof UsageError;
  process.stderr.write(
    `${error instanceof Error ? error.message : String(error)}\n${usage ? `\n${DEMO_HELP}\n` : ''}`,
  );
  process.exitCode = usage ? 2 : 1;
}
