/** Requests that change a pod template: each is a rollout. */
import type { SentRequest } from '../reloader/stage.ts';

interface Operation {
  readonly op: string;
  readonly path: string;
}

export function changesTemplate({ verb, code, body }: SentRequest): boolean {
  if (verb !== 'patch' || code >= 300 || !Array.isArray(body)) return false;
  return (body as Operation[]).some(({ op, path }) => op !== 'test' && path.startsWith('/spec/template'));
}
