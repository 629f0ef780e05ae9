/** The message of a command that fails: one line with what to do next. */
import {
  ApiError,
  ConfigError,
  ConnectionError,
  ForbiddenError,
  RequestTimeoutError,
  UnauthorizedError,
} from '@reloader/runtime';

export const EXIT = { ok: 0, failure: 1, usage: 2 } as const;

/** The command was valid and could not be carried out. */
export class CommandFailure extends Error {
  override name = 'CommandFailure';
}

/** Undefined for a bug of this program: then the stack is printed. */
export function messageOf(error: unknown): string | undefined {
  if (error instanceof CommandFailure) return error.message;
  if (error instanceof ForbiddenError) {
    return oneLine(`${error.message}. Ask for that right, or try "kubectl auth can-i --list"`);
  }
  if (error instanceof UnauthorizedError) {
    return oneLine(`${error.message}. Log in again, or choose another context with --context`);
  }
  if (error instanceof ConfigError) return oneLine(error.message);
  if (error instanceof ConnectionError || error instanceof RequestTimeoutError) {
    return oneLine(
      `${error.message}. Check that the cluster runs and that --kubeconfig and --context name it`,
    );
  }
  return error instanceof ApiError ? oneLine(error.message) : undefined;
}

function oneLine(text: string): string {
  return text.replace(/\s*\n\s*/g, ' ').trim();
}
