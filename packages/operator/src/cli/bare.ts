/**
 * Decides whether flags without a command start the operator.
 *
 * In a pod they do, because a Deployment of Stakater Reloader starts it like this. On a terminal they do not: a user
 * who tries the command there would run a second operator on the cluster of the current context.
 */
import { existsSync } from 'node:fs';

const ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount/token';

export function startsByItself(
  isTerminal: boolean,
  environment: Readonly<Record<string, string | undefined>>,
  hasAccount: () => boolean = () => existsSync(ACCOUNT),
): boolean {
  return !isTerminal || (Boolean(environment.KUBERNETES_SERVICE_HOST) && hasAccount());
}

const HELP = ['--help', '-h', '--version'];

/** True if no command is named, and no help is requested. */
export function isBare(argv: readonly string[]): boolean {
  const [first] = argv;
  return (first === undefined || first.startsWith('-')) && !argv.some((word) => HELP.includes(word));
}
