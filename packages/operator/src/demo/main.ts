/** `npm start` */
import { createLogger, onTermination } from '@reloader/runtime';
import { UsageError } from '../settings/usage-error.ts';
import { DEMO_HELP, runDemo } from './run.ts';

const { signal } = onTermination({ logger: createLogger({ level: 'warn', format: 'text' }) });
try {
  process.exitCode = await runDemo(process.argv.slice(2), signal);
} catch (error) {
  const usage = error instanceof UsageError;
  process.stderr.write(
    `${error instanceof Error ? error.message : String(error)}\n${usage ? `\n${DEMO_HELP}\n` : ''}`,
  );
  process.exitCode = usage ? 2 : 1;
}
