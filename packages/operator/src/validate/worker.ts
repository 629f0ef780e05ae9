/** The worker thread: a content and its rules in, a verdict out. It is killed when it takes too long. */
import { parentPort } from 'node:worker_threads';
import type { ContentVerdict } from '../reloader/model/content-rule.ts';
import type { Ready } from '../thread/guarded-thread.ts';
import { checkContent } from './check.ts';
import type { CheckRequest } from './checker.ts';

parentPort?.on('message', ({ content, rules, now }: CheckRequest) => {
  parentPort?.postMessage(checkContent(content, rules, now) satisfies ContentVerdict);
});
parentPort?.postMessage('ready' satisfies Ready);
