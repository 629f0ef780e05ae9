/** Handles signals and uncaught errors of a main program. */
import type { EventEmitter } from 'node:events';
import type { Logger } from '../logging/logger.ts';

/** The part of `process` that is used. */
export interface ProcessLike extends Pick<EventEmitter, 'on' | 'off'> {
  exit(code: number): unknown;
}

/** The process, and a logger. */
export interface TerminationOptions {
  readonly process?: ProcessLike | undefined;
  readonly logger?: Logger | undefined;
}

/** A signal that aborts when the process is asked to end. */
export interface Termination {
  /** Aborts at the first SIGTERM or SIGINT. */
  readonly signal: AbortSignal;
  /** Restores the previous signal handlers. */
  dispose(): void;
}

const SIGNALS = ['SIGTERM', 'SIGINT'] as const;

/** The first signal asks for an ordered stop; a second ends the process at once with exit code 1. */
export function onTermination(options: TerminationOptions = {}): Termination {
  const { process: target = process, logger } = options;
  const stop = new AbortController();
  const listeners = SIGNALS.map((name) => {
    const listener = (): void => {
      if (stop.signal.aborted) {
        logger?.warn('Second signal: ending at once', { signal: name });
        target.exit(1);
        return;
      }
      logger?.info('Signal received: stopping', { signal: name });
      stop.abort(new Error(`${name} received`));
    };
    target.on(name, listener);
    return [name, listener] as const;
  });
  return {
    signal: stop.signal,
    dispose: () => {
      for (const [name, listener] of listeners) target.off(name, listener);
    },
  };
}

/** Called before the process ends. */
export interface FailFastOptions {
  readonly logger: Logger;
  readonly process?: ProcessLike | undefined;
}

/**
 * An unhandled rejection or uncaught exception leaves the program in an unknown state: it is logged, and the process
 * ends with exit code 1. Returns a function that undoes this.
 */
export function failFast({ logger, process: target = process }: FailFastOptions): () => void {
  const onRejection = (error: unknown): void => end('Unhandled promise rejection', error);
  const onException = (error: unknown): void => end('Uncaught exception', error);
  const end = (message: string, error: unknown): void => {
    logger.error(message, { error });
    target.exit(1);
  };
  target.on('unhandledRejection', onRejection);
  target.on('uncaughtException', onException);
  return () => {
    target.off('unhandledRejection', onRejection);
    target.off('uncaughtException', onException);
  };
}
