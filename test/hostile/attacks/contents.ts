/** Contents of a megabyte that are slow to parse, each under a rule that requires parsing it. */
import { kinds } from '@reloader/runtime';
import { expect } from 'vitest';
import { poll } from '../../control-plane/poll.ts';
import { workload } from '../../reloader/objects.ts';
import type { Attack } from '../harness.ts';

const BYTES = 900_000;
const PATIENCE_MS = 120_000;

const filled = (piece: string): string => piece.repeat(Math.floor(BYTES / piece.length));

/** Hostile contents by format, which replace a valid one. All of them are invalid. */
const HOSTILE: Readonly<Record<string, readonly string[]>> = {
  yaml: [
    filled('['),
    filled('{a: '),
    filled('- '),
    filled('"'),
    `${filled('- &a x\n- *a\n')}- *b`,
    `${filled('a\n')}: 1`,
    `a: [${filled('1,')}`,
    `a: &a [${Array(9).fill('x')}]\n${[...'bcdefghij'].map((name, at) => `${name}: &${name} [${Array(9).fill(`*${'abcdefghi'[at]}`)}]`).join('\n')}`,
    `${filled('k: &k {a: 1}\n')}`,
  ],
  json: [filled('['), filled('{"a":'), `{"a": "${filled('\\"')}`, `[${filled('1,')}`],
  properties: [`${filled('a\\\n')}=\\u12`, `a=${filled('\\\\')}\nb=\\u1`],
  pem: [filled('-----BEGIN A-----'), `-----BEGIN A-----${filled(' ')}!-----END A-----`],
};
const CASES = Object.entries(HOSTILE).flatMap(([format, contents]) =>
  contents.map((content, index) => ({ name: `${format}-${index}`, format, content })),
);

export function contents(): Attack {
  return {
    title: `${CASES.length} contents of up to a megabyte that keep a parser busy`,
    async prepare({ client, namespace }) {
      const evil = await namespace('evil');
      for (const { name, format } of CASES) {
        const metadata = {
          namespace: evil,
          name,
          annotations: { 'reloader.stakater.com/format': `a=${format}` },
        };
        await client.create(kinds.ConfigMap, { metadata, data: { a: 'x' } });
        const options = { annotations: { auto: 'true' }, uses: [{ configMap: name }], replicas: 0 };
        await client.create(kinds.Deployment, workload('Deployment', name, evil, options));
      }
    },
    async strike({ client, nameOf }, victim) {
      const namespace = nameOf('evil');
      for (const { name, content } of CASES) {
        const body = { data: { a: content } };
        await client.patch(kinds.ConfigMap, { namespace, name }, { type: 'merge', body });
      }
      const held = (): number => {
        const lines = victim.log().split('\n');
        const told = lines.filter(
          (line) => line.includes('Holding back a reload') && line.includes(namespace),
        );
        return CASES.filter(({ name }) => told.some((line) => line.includes(`/${name} is not what`))).length;
      };
      await poll(async () => held() === CASES.length, {
        what: 'every hostile content to be held',
        timeout: PATIENCE_MS,
        every: 250,
      });
      const reloads = victim
        .log()
        .split('\n')
        .filter((line) => line.includes('Successfully triggered reload'));
      expect(reloads.filter((line) => line.includes(namespace))).toEqual([]);
    },
  };
}
