import { EventEmitter } from 'node:events';
import { describe, expect, test } from 'vitest';
import { ConnectionGuard } from './connection-guard.ts';

class Connection extends EventEmitter {
  readonly remoteAddress: string;
  destroyed = false;
  timeout = 0;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  setTimeout(ms: number): this {
    this.timeout = ms;
    return this;
  }

  destroy(): this {
    if (!this.destroyed) {
      this.destroyed = true;
      this.emit('close');
    }
    return this;
  }
}

function crowd(guard: ConnectionGuard, address: string, size: number): Connection[] {
  return Array.from({ length: size }, () => {
    const connection = new Connection(address);
    guard.admit(connection as never);
    return connection;
  });
}

const closed = (connections: readonly Connection[]): number =>
  connections.filter(({ destroyed }) => destroyed).length;

describe('a server that too many connect to', () => {
  test('keeps the newcomer and closes the oldest of the address that has most', () => {
    const guard = new ConnectionGuard({ most: 10 });
    const [probe] = crowd(guard, '10.0.0.1', 1);
    const flood = crowd(guard, '10.9.9.9', 30);
    expect(guard.size).toBe(10);
    expect(probe?.destroyed).toBe(false);
    expect(flood.slice(0, 21).every(({ destroyed }) => destroyed)).toBe(true);
    expect(closed(flood)).toBe(21);
    const [next] = crowd(guard, '10.0.0.1', 1);
    expect(next?.destroyed).toBe(false);
    expect(guard.size).toBe(10);
  });

  test('closes old ones with a pending answer, too: they would block all others', () => {
    const guard = new ConnectionGuard({ most: 3 });
    const crowd3 = crowd(guard, 'a', 3);
    for (const each of crowd3) guard.begin(each as never);
    const [newcomer] = crowd(guard, 'a', 1);
    expect(crowd3.map(({ destroyed }) => destroyed)).toEqual([true, false, false]);
    expect(newcomer?.destroyed).toBe(false);
  });

  test('forgets closed connections, and addresses without connections', () => {
    const guard = new ConnectionGuard({ most: 4 });
    for (const each of crowd(guard, 'a', 3)) each.destroy();
    expect(guard.size).toBe(0);
    const [b] = crowd(guard, 'b', 1);
    crowd(guard, 'c', 4);
    expect(b?.destroyed).toBe(false);
  });

  test('disconnects idle peers', () => {
    const guard = new ConnectionGuard({ idleMs: 5 });
    const [connection] = crowd(guard, 'a', 1);
    expect(connection?.timeout).toBe(5);
    expect(guard.begin(connection as never)).toBe(true);
    expect(guard.begin(connection as never)).toBe(false);
    expect(connection?.timeout).toBe(0);
    guard.answered(connection as never);
    expect(connection?.timeout).toBe(5);
    connection?.emit('timeout');
    expect(guard.size).toBe(0);
  });

  test('closes what is idle, or all', () => {
    const guard = new ConnectionGuard();
    const [busy, idle] = crowd(guard, 'a', 2) as [Connection, Connection];
    guard.begin(busy as never);
    guard.closeIdle();
    expect([busy.destroyed, idle.destroyed]).toEqual([false, true]);
    guard.closeAll();
    expect(busy.destroyed).toBe(true);
  });
});
