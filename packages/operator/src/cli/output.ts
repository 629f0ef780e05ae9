/** Prints answers: as text for people, as JSON or YAML for programs, or as names for the next command. */

import { createStyle, fitted, type Style } from '../terminal/style.ts';
import type { CommandIO } from './command-io.ts';
import type { Provenance, SessionOptions } from './session.ts';

export type Format = 'text' | 'wide' | 'json' | 'yaml' | 'name';

export const DATA_FORMATS: readonly Format[] = ['text', 'json', 'yaml'];
export const ALL_FORMATS: readonly Format[] = ['text', 'wide', 'name', 'json', 'yaml'];

export interface OutputOptions {
  readonly output?: Format;
}

export type CommonOptions = SessionOptions & OutputOptions & { readonly allNamespaces?: boolean };

export interface Answer {
  readonly data: object;
  /** `wide` shows everything untruncated. */
  readonly text: (style: Style, wide: boolean) => string;
  /** `deployment/web`, one for each line of `-o name`. */
  readonly names?: () => readonly string[];
  readonly provenance?: Provenance;
}

/** One answer is written as it is; several are written as items of a list. */
export async function show(
  answers: readonly Answer[],
  { output = 'text' }: OutputOptions,
  io: CommandIO,
): Promise<void> {
  io.print(await written(answers, output, io));
}

export async function written(
  answers: readonly Answer[],
  output: Format,
  { colours, columns }: Pick<CommandIO, 'colours' | 'columns'>,
): Promise<string> {
  switch (output) {
    case 'json':
      return `${JSON.stringify(document(answers), undefined, 2)}\n`;
    case 'yaml': {
      const { stringify } = await import('yaml');
      return stringify(document(answers), { lineWidth: 0, aliasDuplicateObjects: false });
    }
    case 'name':
      return [...new Set(answers.flatMap(({ names }) => names?.() ?? []))]
        .map((name) => `${name}\n`)
        .join('');
    default: {
      const style = createStyle(colours);
      const texts = answers.map(({ text }) => text(style, output === 'wide'));
      return fitted(texts.join('\n') + notes(answers, style), output === 'wide' ? undefined : columns);
    }
  }
}

function document(answers: readonly Answer[]): object {
  const items = answers.map(({ data, provenance }) => ({ ...data, ...provenance }));
  const [only] = items;
  return items.length === 1 && only ? only : { items };
}

/** The limits of the answers, each printed once. */
function notes(answers: readonly Answer[], style: Style): string {
  const limits = new Set(answers.flatMap(({ provenance }) => provenance?.limits ?? []));
  return [...limits].map((limit) => `${style.dim(`Note: ${limit}`)}\n`).join('');
}
