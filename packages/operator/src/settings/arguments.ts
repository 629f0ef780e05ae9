/**
 * Reads a command line as pflag does: `--name=value`, `--name value`, `--bool`, `--` ends the flags. A single dash
 * before a long name is accepted, too, because Go's own flag package does so. Unknown arguments are refused.
 */

import { nearest } from '../reloader/model/nearest.ts';
import { FLAGS, type FlagName, type FlagValues, isFlagName } from './flags.ts';
import { BadValue, UsageError } from './usage-error.ts';
import type { ValueType } from './value-types.ts';

export interface ParsedFlags {
  readonly values: FlagValues;
  /** The flags on the command line. */
  readonly given: ReadonlySet<FlagName>;
}

export function parseFlags(argv: readonly string[]): ParsedFlags {
  const uses = collect(argv);
  const values = Object.entries(FLAGS).map(([name, flag]) => {
    const texts = uses.get(name as FlagName);
    return [name, texts ? read(name, flag.type, texts) : flag.default] as const;
  });
  // Each value was read by the type of its own flag.
  return { values: Object.fromEntries(values) as unknown as FlagValues, given: new Set(uses.keys()) };
}

function collect(argv: readonly string[]): Map<FlagName, string[]> {
  const uses = new Map<FlagName, string[]>();
  for (let index = 0; index < argv.length; index++) {
    const argument = argv[index] ?? '';
    if (argument === '--') {
      refuseArgument(argv[index + 1], argv[index]);
      break;
    }
    const written = /^--?(?<name>[^-=][^=]*)(?:=(?<value>[\s\S]*))?$/.exec(argument)?.groups;
    if (!written) refuseArgument(argument, argv[index - 1]);
    const name = written?.name ?? '';
    if (!isFlagName(name)) throw unknownFlag(argument, name);
    const type: ValueType<unknown> = FLAGS[name].type;
    let value = written?.value;
    if (value === undefined && type.takesNext) {
      const next = argv[index + 1];
      if (next !== undefined && (type.bare === undefined || !next.startsWith('-'))) {
        value = next;
        index += 1;
      }
    }
    value ??= type.bare;
    if (value === undefined)
      throw new UsageError(`--${name} needs a value (${type.name}): write --${name}=VALUE`);
    uses.set(name, [...(uses.get(name) ?? []), value]);
  }
  return uses;
}

function read(name: string, type: ValueType<unknown>, texts: readonly string[]): unknown {
  try {
    return type.read(texts);
  } catch (error) {
    if (!(error instanceof BadValue)) throw error;
    throw badValue(name, type, texts.at(-1) ?? '', error.message);
  }
}

/** `--settle=abc: must be a duration such as …`. */
function badValue(name: string, type: ValueType<unknown>, value: string, why: string): UsageError {
  return new UsageError(`--${name}${type.secret ? '' : `=${value}`}: ${why}`);
}

/** For errors that only a combination of flags shows. */
export function badFlag(name: FlagName, value: string, why: string): UsageError {
  return badValue(name, FLAGS[name].type, value, why);
}

function unknownFlag(argument: string, name: string): UsageError {
  const close = nearest(name, Object.keys(FLAGS));
  const advice = close ? `did you mean --${close}?` : 'see reloader --help';
  return new UsageError(`Unknown flag ${argument.split('=', 1)[0]}: ${advice}`);
}

function refuseArgument(argument: string | undefined, before: string | undefined): void {
  if (argument === undefined) return;
  const flag = before?.replace(/^--?/, '') ?? '';
  const isBool = isFlagName(flag) && !FLAGS[flag].type.takesNext;
  const advice = isBool ? `write --${flag}=${argument}` : 'flags are written --name=value';
  throw new UsageError(`Unexpected argument "${argument}": ${advice}`);
}
