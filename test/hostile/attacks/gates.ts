/** Windows that never meet, expressions and other words about when to reload that are made to keep the operator busy. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import { poll } from '../../control-plane/poll.ts';
import { workload } from '../../reloader/objects.ts';
import type { Attack } from '../harness.ts';

const EACH = 8;
const PATIENCE_MS = 60_000;
const ZONES = ['UTC', 'Europe/Berlin', 'America/New_York', 'Australia/Lord_Howe'];

/** By shape, annotations for the workload of each number. None of them ever lets a change through. */
const SHAPES: Readonly<Record<string, (number: number) => Readonly<Record<string, string>>>> = {
  // Open every second minute, and closed in it: each of them in weeks of minutes.
  minutes: (number) => ({ 'sync-windows': missing(`${number % 2}-59/2 * * * *`, '1m', number) }),
  hours: (number) => ({ 'sync-windows': missing(`${number} * * * *`, '30m', number) }),
  leap: (number) => ({ 'sync-windows': missing(`${number} 0 29 2 *`, '1m', number) }),
  sixteen: (number) => ({
    'sync-windows': JSON.stringify([
      ...Array.from({ length: 8 }, (_, at) => window('allow', `${at * 7} * * * *`, '1m', at + number)),
      ...Array.from({ length: 8 }, (_, at) => window('deny', `${at * 7} * * * *`, '2m', at + number)),
    ]),
  }),
  aliases: () => ({ 'sync-windows': `- &a {schedule: "* * * * *"}\n${'- *a\n'.repeat(1000)}` }),
  deep: () => ({ 'sync-windows': '['.repeat(8000) }),
  cron: (number) => ({
    'restart-window': JSON.stringify({
      timezone: 'UTC',
      windows: [{ cron: `${'0-59/1,'.repeat(40 + number)}0 * * * *`, duration: '1h' }],
    }),
  }),
  backtracking: () => ({ condition: '(source.name + "!").matches("(a+)+$")' }),
  macros: () => ({ condition: 'source.keys.all(a, source.keys.all(b, source.keys.all(c, a + b == c)))' }),
  nested: () => ({ condition: 'source.keys.all(a, source.keys.all(b, (a + b).matches("^((x?){9}){9}$")))' }),
  wave: () => ({ wave: '9'.repeat(5000), canary: 'x'.repeat(5000) }),
  waits: () => ({
    'max-wait': '9'.repeat(5000),
    'rate-limit': '9999/9999',
    approval: 'required',
    approve: 'x'.repeat(5000),
  }),
  frozen: () => ({ freeze: 'soon'.repeat(1000), 'freeze-reason': 'x'.repeat(5000) }),
};

const window = (kind: string, schedule: string, duration: string, number: number) => ({
  kind,
  schedule,
  duration,
  timeZone: ZONES[number % ZONES.length],
});

function missing(schedule: string, duration: string, number: number): string {
  return JSON.stringify(['allow', 'deny'].map((kind) => window(kind, schedule, duration, number)));
}

const CASES = Object.entries(SHAPES).flatMap(([shape, annotations]) =>
  Array.from({ length: EACH }, (_, number) => ({
    name: `${shape}-${number}`,
    annotations: { auto: 'true', ...annotations(number) },
  })),
);

export function gates(): Attack {
  return {
    title: `${CASES.length} workloads with windows that never meet, hostile conditions and orders, and questions about them`,
    async prepare({ client, namespace }) {
      const evil = await namespace('evil');
      const data = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`k${at}`, 'x']));
      await client.create(kinds.ConfigMap, { metadata: { namespace: evil, name: 'shared' }, data });
      for (const { name, annotations } of CASES) {
        const options = { annotations, uses: [{ configMap: 'shared' }], replicas: 0 };
        await client.create(kinds.Deployment, workload('Deployment', name, evil, options));
      }
    },
    async strike({ client, nameOf }, victim) {
      const namespace = nameOf('evil');
      const key = { namespace, name: 'shared' };
      await client.patch(kinds.ConfigMap, key, { type: 'merge', body: { data: { k0: 'y' } } });
      const open = (): string[] => {
        const lines = victim.log().split('\n');
        const told = lines.filter((line) => line.includes('Holding back a reload')).join('\n');
        const names = CASES.map(({ name }) => name);
        return names.filter((name) => !new RegExp(`\\bname["=:]+${name}\\b`).test(told));
      };
      await poll(async () => open().length === 0, {
        what: 'every change to be held',
        timeout: PATIENCE_MS,
        every: 250,
      }).catch((error: unknown) => {
        throw new Error(`${String(error)}: ${open().join(', ')}`);
      });
      const ask = async (path: string): Promise<number> =>
        (await fetch(`http://127.0.0.1:${victim.port}/api/v1/${path}`)).status;
      // The caller is answered, or told in time that it takes too long.
      expect([200, 504]).toContain(await ask(`what-if?kind=ConfigMap&ns=${namespace}&name=shared`));
      for (const { name } of CASES) expect(await ask(`workloads/Deployment/${namespace}/${name}`)).toBe(200);
      const reloads = victim
        .log()
        .split('\n')
        .filter((line) => line.includes('Successfully triggered reload'));
      expect(reloads.filter((line) => line.includes(namespace))).toEqual([]);
    },
  };
}
