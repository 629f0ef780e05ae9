/** Prints an answer: as text for people, or as JSON for programs. */
import type { Command } from 'commander';
import { Option } from 'commander';
import type { Provenance, SessionOptions } from './session.ts';
import { createStyle, type Style } from './style.ts';
import type { Surroundings } from './surroundings.ts';

export interface OutputOptions {
  readonly output?: 'text' | 'json';
}

export function addOutputOption(command: Command): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'how the answer is written')
      .choices(['text', 'json'])
      .default('text'),
  );
}

export function addClusterOptions(command: Command): Command {
  return command
    .option('-n, --namespace <name>', 'namespace; that of the current context unless given')
    .option('--kubeconfig <file>', 'kubeconfig; found as by kubectl unless given')
    .option('--context <name>', 'context of the kubeconfig');
}

export function addOperatorOptions(command: Command): Command {
  return command
    .option('--operator <url>', 'address of the operator; found by its Service unless given')
    .option('--operator-namespace <name>', 'namespace in which its Service and Deployment are looked for');
}

export type CommonOptions = SessionOptions & OutputOptions;

export function show(
  answer: object,
  text: (style: Style) => string,
  { output = 'text' }: OutputOptions,
  { print, colours }: Surroundings,
): void {
  print(output === 'json' ? `${JSON.stringify(answer, undefined, 2)}\n` : text(createStyle(colours)));
}

/** With where the answer comes from, and what it cannot know. */
export function showAnswered(
  answer: object,
  provenance: Provenance,
  text: (style: Style) => string,
  options: OutputOptions,
  surroundings: Surroundings,
): void {
  const { answeredBy, limits } = provenance;
  const whole = (style: Style): string =>
    text(style) + limits.map((limit) => style.dim(`Note: ${limit}\n`)).join('');
  show({ ...answer, answeredBy, limits }, whole, options, surroundings);
}
