/** The text of `--help`, from the table of flags. */
import { ENVIRONMENT } from './environment.ts';
import { defaultText, type Flag } from './flag.ts';
import { FAMILIES } from './flags.ts';

const WIDTH = 100;
const INDENT = 8;

const INTRODUCTION = `Usage: reloader [flags]            run the operator
       reloader run [flags]        the same
       reloader --help             all commands

Restarts the workloads whose Secrets and ConfigMaps changed. Flags are written --name=value or --name value; booleans
--name or --name=false. Lists are comma-separated, and such a flag may be repeated.
`;

const EXIT_CODES = `Exit codes: 0 ended in order; 1 failed, or lost its lease; 2 wrong usage.
`;

export function helpText(): string {
  const families = FAMILIES.map(({ title, flags }) => {
    const entries = Object.entries(flags).map(([name, flag]) => entry(usage(name, flag), sentence(flag)));
    return `${title}:\n${entries.join('')}`;
  });
  const variables = Object.entries(ENVIRONMENT).map(([name, help]) => entry(name, help));
  return [INTRODUCTION, ...families, `Environment:\n${variables.join('')}`, EXIT_CODES].join('\n');
}

function usage(name: string, { type }: Flag<unknown>): string {
  return `--${name}${type.takesNext ? ` ${type.name}` : ''}`;
}

function sentence(flag: Flag<unknown>): string {
  const fallback = defaultText(flag);
  return fallback === '' || fallback === 'false' ? flag.help : `${flag.help} (default ${fallback})`;
}

function entry(head: string, text: string): string {
  return `  ${head}\n${wrapped(text)}\n`;
}

function wrapped(text: string): string {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + word.length + 1 > WIDTH - INDENT) {
      lines.push(line);
      line = word;
    } else line = line === '' ? word : `${line} ${word}`;
  }
  return [...lines, line].map((each) => ' '.repeat(INDENT) + each).join('\n');
}
