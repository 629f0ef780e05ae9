/** Tests each flag of a family: its default, its effect in every notation, and the values that it refuses. */
import { describe, expect, test } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../reloader/model/annotations.ts';
import type { FlagTable } from './flag.ts';
import { FLAGS, type FlagName } from './flags.ts';
import { parseSettings } from './parse.ts';
import type { Settings } from './settings.ts';
import { UsageError } from './usage-error.ts';

type Env = Record<string, string>;
const parse = (argv: readonly string[] = [], env: Env = {}): Settings =>
  parseSettings(argv, env, { podNamespace: () => undefined });
export const messages = ({ notices }: Settings): string[] => notices.map(({ message }) => message);

/** Reads the setting that a flag controls. */
type Effect = (settings: Settings) => unknown;
export interface Row {
  readonly read: Effect;
  readonly byDefault: unknown;
  /** A value other than the default, and the resulting setting. */
  readonly set: readonly [value: string, result: unknown];
  /** Further flags that are needed for the effect to show. */
  readonly beside?: readonly string[];
  /** A value that is refused, and a part of the message. */
  readonly bad?: readonly [value: string, why: string];
  /** A value that Stakater accepts although it has no meaning, and the notice about it. */
  readonly odd?: readonly [value: string, result: unknown, notice?: string];
}

export const NOT_BOOL = ['yes', 'must be true or false'] as const;
export const bool = (read: Effect, byDefault = false): Row => ({
  read,
  byDefault,
  set: [String(!byDefault), !byDefault],
  bad: NOT_BOOL,
});
export const exactlyTrue = (read: Effect): Row => ({
  read,
  byDefault: false,
  set: ['true', true],
  odd: ['TRUE', false],
});
export const annotation = (name: keyof typeof DEFAULT_ANNOTATIONS): Row => ({
  read: ({ reloader }) => reloader.names[name],
  byDefault: DEFAULT_ANNOTATIONS[name],
  set: ['example.com/x', 'example.com/x'],
  bad: ['a b/c', 'name of an annotation'],
});
export const choice = (read: Effect, byDefault: string, other: string): Row => ({
  read,
  byDefault,
  set: [other, other],
  bad: ['nonsense', `must be ${byDefault} or ${other}`],
});
export const refused = (byDefault: string, why: string): Row => ({
  read: ({ notices }) => notices,
  byDefault: [],
  set: [byDefault, []],
  bad: ['something', why],
});

const POD: Env = { POD_NAME: 'pod-0', POD_NAMESPACE: 'pod-ns' };
/** One row for each flag of the family. */
export function testFlags(family: FlagTable, rows: Readonly<Record<string, Row>>): void {
  const named = Object.entries(rows) as [FlagName, Row][];

  test('every flag has a row here', () => {
    expect(Object.keys(rows).sort()).toEqual(Object.keys(family).sort());
  });

  describe.each(named)('--%s', (name, { read, byDefault, set, beside = [], bad, odd }) => {
    const [value, result] = set;
    const isBool = FLAGS[name].type.bare !== undefined;

    test('has its default', () => expect(read(parse(beside, POD))).toEqual(byDefault));

    test('does what it says as --flag=value', () => {
      expect(read(parse([...beside, `--${name}=${value}`], POD))).toEqual(result);
    });

    test('takes --flag alone or --flag value', () => {
      const argv = isBool
        ? value === 'true'
          ? [`--${name}`]
          : [`--${name}=${value}`]
        : [`--${name}`, value];
      expect(read(parse([...beside, ...argv], POD))).toEqual(result);
    });

    if (bad) {
      test('refuses an invalid value and names the flag, the value and what to write', () => {
        const attempt = (): Settings => parse([...beside, `--${name}=${bad[0]}`], POD);
        expect(attempt).toThrow(UsageError);
        expect(attempt).toThrow(`--${name}${FLAGS[name].type.name === 'url' ? '' : `=${bad[0]}`}: `);
        expect(attempt).toThrow(bad[1]);
      });
    }

    if (odd) {
      test('accepts, as Stakater Reloader does, a value without a meaning', () => {
        const settings = parse([...beside, `--${name}=${odd[0]}`], POD);
        expect(read(settings)).toEqual(odd[1]);
        expect(messages(settings)).toEqual(odd[2] === undefined ? [] : [expect.stringContaining(odd[2])]);
      });
    }
  });
}
