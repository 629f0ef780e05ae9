/** `reloader lint FILES…` */
import { lint } from '../../lint/lint.ts';
import { counted, type Style } from '../../terminal/style.ts';
import type { CommandIO } from '../command-io.ts';
import { CommandFailure, EXIT } from '../failure.ts';
import { type OutputOptions, show } from '../output.ts';

/** Resolves with the exit code: 1 if there are findings. */
export async function lintCommand(
  paths: readonly string[],
  options: OutputOptions,
  io: CommandIO,
): Promise<number> {
  const files: { file: string; text: string }[] = [];
  for (const path of paths) {
    for (const file of await io.listFiles(path)) files.push({ file, text: await io.readFile(file) });
  }
  if (files.length === 0)
    throw new CommandFailure(`There are no .yaml, .yml or .json files in ${paths.join(', ')}`);
  const result = lint(files);
  const text = (style: Style): string => {
    const lines = result.findings.map(({ file, line, object, field, rule, message }) => {
      const about = [object, field].filter((part) => part !== '').join(': ');
      return `${style.bold(`${file}:${line}`)}: ${about}${about === '' ? '' : ' '}${message} ${style.dim(`(${rule})`)}\n`;
    });
    const { length } = result.findings;
    const seen = `${counted(result.objects, 'object')} in ${counted(files.length, 'file')}`;
    return (
      lines.join('') +
      (length === 0
        ? style.good(`Nothing to complain about in ${seen}\n`)
        : style.bad(`${counted(length, 'finding')} in ${seen}\n`))
    );
  };
  await show([{ data: result, text }], options, io);
  return result.findings.length > 0 ? EXIT.failure : EXIT.ok;
}
