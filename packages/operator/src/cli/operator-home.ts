/**
 * Where to look for the operator: by its label in all namespaces that the caller may see, otherwise at the places of
 * the two ways to install it.
 */

/** The names in the chart and the manifests, and in `config/`. */
export const OPERATOR_LABEL = 'app.kubernetes.io/name in (reloader,reloader-operator)';

export interface OperatorHome {
  readonly namespace: string;
  /** The name of the Deployment and of the Service. */
  readonly name: string;
}

/** The chart as the documentation installs it, and `make deploy`. */
const HOMES: readonly OperatorHome[] = [
  { namespace: 'reloader', name: 'reloader' },
  { namespace: 'reloader-operator-system', name: 'reloader-operator-controller-manager' },
];

/** `namespace`: the only one to look in, if given. */
export function operatorHomes(namespace: string | undefined): readonly OperatorHome[] {
  return namespace === undefined ? HOMES : HOMES.map(({ name }) => ({ namespace, name }));
}
