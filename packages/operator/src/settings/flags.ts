/** The table of all flags. */
import { CONFIG_OPERATOR_FLAGS } from './config-operator-flags.ts';
import type { Flag, FlagTable } from './flag.ts';
import { OWN_FLAGS } from './own-flags.ts';
import { STAKATER_FLAGS } from './stakater-flags.ts';

export const FLAGS = { ...STAKATER_FLAGS, ...CONFIG_OPERATOR_FLAGS, ...OWN_FLAGS };

export type FlagName = keyof typeof FLAGS;
export type FlagValues = {
  readonly [Name in FlagName]: (typeof FLAGS)[Name] extends Flag<infer T> ? T : never;
};

export interface FlagFamily {
  readonly title: string;
  readonly about: string;
  readonly flags: FlagTable;
}

export const FAMILIES: readonly FlagFamily[] = [
  {
    title: 'Stakater Reloader',
    about: 'With the names, defaults and meanings of Stakater Reloader v1.4.',
    flags: STAKATER_FLAGS,
  },
  {
    title: 'This operator',
    about: 'What neither of the others has.',
    flags: OWN_FLAGS,
  },
  {
    title: 'ReloaderConfig operator',
    about: 'With the names of the earlier operator for ReloaderConfig resources.',
    flags: CONFIG_OPERATOR_FLAGS,
  },
];

export function isFlagName(name: string): name is FlagName {
  return Object.hasOwn(FLAGS, name);
}
