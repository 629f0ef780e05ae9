/**
 * Whether flags without a command start the operator.
 *
 * In a pod they do, because that is how a Deployment of Stakater Reloader starts it. On a terminal they do not: whoever
 * tries the command there would run a second operator on the cluster of the current context.
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

/** No command is named, and no help is asked for. */
export function isBare(argv: readonly string[]): boolean {
  const [first] = argv;
  return (first === undefined || first.startsWith('-')) && !argv.some((word) => HELP.includes(word));
}
