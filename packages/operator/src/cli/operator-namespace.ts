/**
 * The namespace of the operator, for commands that act on it.
 *
 * Guarantees: it is a place where an operator was seen, or that the user named. A guess could freeze a namespace that
 * nobody reads, while the command reports that everything is frozen.
 */
import type { Client } from '@reloader/runtime';
import { CommandFailure } from './failure.ts';
import { operatorDeployments } from './installed.ts';
import { operatorServices } from './operator-pods.ts';

export async function findOperatorNamespace(
  client: Client,
  given: string | undefined,
  signal: AbortSignal,
): Promise<string> {
  if (given !== undefined) return given;
  const deployments = await operatorDeployments(client, undefined, signal);
  const services = deployments.length > 0 ? [] : await operatorServices(client, undefined, signal);
  if (typeof services === 'string') {
    throw new CommandFailure(
      'The operator cannot be found, neither its Deployment nor its Service: name its namespace with --operator-namespace',
    );
  }
  const seen = [
    ...deployments.map(({ metadata }) => metadata.namespace ?? ''),
    ...services.map((each) => each.namespace),
  ];
  const namespaces = [...new Set(seen)].sort();
  const [first = '', ...more] = namespaces;
  if (more.length > 0) {
    throw new CommandFailure(
      `There are operators in the namespaces ${namespaces.join(', ')}: name one of them with --operator-namespace`,
    );
  }
  return first;
}
