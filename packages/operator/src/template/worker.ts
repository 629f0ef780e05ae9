/** The worker thread: a request in, texts or an error out. It is killed when it takes too long. */
import { parentPort } from 'node:worker_threads';
import type { Ready } from '../thread/guarded-thread.ts';
import { TemplateError } from './error.ts';
import { type RenderRequest, renderAll } from './render.ts';

export type Answer =
  | { readonly texts: string[] }
  | Pick<TemplateError, 'template' | 'line' | 'column' | 'complaint'>;

function answerTo(request: RenderRequest): Answer {
  try {
    return { texts: renderAll(request) };
  } catch (error) {
    if (!(error instanceof TemplateError)) throw error;
    const { template, line, column, complaint } = error;
    return { template, line, column, complaint };
  }
}

parentPort?.on('message', (request: RenderRequest) => parentPort?.postMessage(answerTo(request)));
parentPort?.postMessage('ready' satisfies Ready);
