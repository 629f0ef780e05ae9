import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { createCapturingLogger } from '../testing/capturing-logger.ts';
import { failFast, onTermination } from './process-signals.ts';

class FakeProcess extends EventEmitter {
  readonly exits: number[] = [];
  exit(code: number): void {
    this.exits.push(code);
  }
}

describe('signals', () => {
  test.each(['SIGTERM', 'SIGINT'])('the first %s asks for an ordered stop', (name) => {
    const process = new FakeProcess();
    const { signal } = onTermination({ process });
    expect(signal.aborted).toBe(false);
    process.emit(name);
    expect(signal.aborted).toBe(true);
    expect(String(signal.reason)).toContain(name);
    expect(process.exits).toEqual([]);
  });

  test('the second ends the process at once, whichever it is', () => {
    const process = new FakeProcess();
    onTermination({ process });
    process.emit('SIGTERM');
    process.emit('SIGINT');
    expect(process.exits).toEqual([1]);
  });

  test('are left alone afterwards', () => {
    const process = new FakeProcess();
    const { signal, dispose } = onTermination({ process });
    dispose();
    process.emit('SIGTERM');
    expect(signal.aborted).toBe(false);
    expect(process.eventNames()).toEqual([]);
  });
});

describe('accidents', () => {
  test.each([
    ['unhandledRejection', 'Unhandled promise rejection'],
    ['uncaughtException', 'Uncaught exception'],
  ])('%s is logged and ends the process', (event, message) => {
    const process = new FakeProcess();
    const log = createCapturingLogger();
    const undo = failFast({ logger: log.logger, process });
    const error = new Error('oops');
    process.emit(event, error);
    expect(log.entries).toEqual([{ level: 'error', message, values: { error } }]);
    expect(process.exits).toEqual([1]);
    undo();
    expect(process.eventNames()).toEqual([]);
  });
});
