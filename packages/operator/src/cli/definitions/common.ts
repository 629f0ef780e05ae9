/** Shared parts of the definitions of commands: texts, and options that mean the same everywhere. */
import { type Command, Option } from 'commander';
import type { Format } from '../output.ts';

export type Exit = (code: number) => void;

export function add(program: Command, name: string, summary: string, description = summary): Command {
  return program.command(name).summary(summary).description(sentence(description));
}

function sentence(text: string): string {
  const [first = '', ...rest] = text;
  return `${first.toUpperCase()}${rest.join('')}.`;
}

export function addDebugOption(command: Command): Command {
  return command.option('--debug', 'print the stack of an error');
}

export function addOutputOption(command: Command, formats: readonly Format[]): Command {
  return command.addOption(
    new Option('-o, --output <format>', 'how the answer is written').choices(formats).default('text'),
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

export function addAllNamespacesOption(command: Command, description: string): Command {
  return command.option('-A, --all-namespaces', description);
}

/** For a query to the operator, or to the cluster if the operator cannot be reached. */
export function asking(command: Command, formats: readonly Format[]): Command {
  return addDebugOption(addOutputOption(addOperatorOptions(addClusterOptions(command)), formats));
}
