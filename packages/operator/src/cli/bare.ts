/**
 * Decides whether flags without a command start the operator.
 *
 * In a pod they do, because a Deployment of Stakater Reloader starts it like this. On a terminal they do not: a user
 * who tries the command there would run a second operator on the cluster of the current context. Nor as a plugin of
 * kubectl, which no pod runs: a script has no terminal either.
 */
import { existsSync } from 'node:fs';
import { basename } from 'node:path';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** `program`: its path. kubectl runs its plugins under their own name. */
export function isPlugin(program: string | undefined): boolean {
  return basename(program ?? '').startsWith('kubectl-');
}

export function startsByItself(
  isTerminal: boolean,
  environment: Readonly<Record<string, string | undefined>>,
  program: string | undefined,
  hasAccount: () => boolean = () => existsSync(ACCOUNT),
): boolean {
  if (isPlugin(program)) return false;
  return !isTerminal || (Boolean(environment.KUBERNETES_SERVICE_HOST) && hasAccount());
}

const HELP = ['--help', '-h', '--version'];

/** True if no command is named, and no help is requested. */
export function isBare(argv: readonly string[]): boolean {
  const [first] = argv;
  return (first === undefined || first.startsWith('-')) && !argv.some((word) => HELP.includes(word));
}
