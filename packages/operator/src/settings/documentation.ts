/** `docs/flags.md`, from the table of flags. */
import { markdownTable } from '@reloader/runtime/kind';
import { ENVIRONMENT } from './environment.ts';
import { defaultText, type Flag } from './flag.ts';
import { FAMILIES, type FlagFamily } from './flags.ts';

const INTRODUCTION = `<!-- Generated from packages/operator/src/settings: change it there, then run \`npm run generate\`. -->

# Flags

Flags are written \`--name=value\` or \`--name value\`; booleans \`--name\` or \`--name=false\`, never \`--name false\`. Lists are
comma-separated, double quotes protect commas, and such a flag may be repeated. Durations are those of Go: \`500ms\`,
\`1h30m\`. Of all other flags the last use counts. Names are case-sensitive.

A flag that is not known and a value that cannot be used end the program with exit code 2 and say what to write instead.
Where Stakater Reloader starts with a value that means nothing (\`--log-level\`, \`--log-format\`, \`--ignored-workload-types\`),
so does this operator, and its log says so. Of texts that stand for a switch only \`true\` turns it on; any other means false.
`;

export function flagsDocument(): string {
  return [INTRODUCTION, ...FAMILIES.map(family), environment()].join('\n');
}

function family({ title, about, flags }: FlagFamily): string {
  const rows = Object.entries(flags).map(([name, flag]) => cellsOf(name, flag));
  return `## ${title}\n\n${about}\n\n${markdownTable(['flag', 'value', 'default', 'what it does'], rows)}`;
}

function cellsOf(name: string, flag: Flag<unknown>): string[] {
  const fallback = defaultText(flag);
  return [`\`--${name}\``, flag.type.name, fallback === '' ? '' : `\`${fallback}\``, flag.help];
}

function environment(): string {
  const rows = Object.entries(ENVIRONMENT).map(([name, help]) => [`\`${name}\``, help]);
  return `## Environment\n\nFlags win over variables.\n\n${markdownTable(['variable', 'what it does'], rows)}`;
}
