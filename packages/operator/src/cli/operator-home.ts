/** Where the operator is looked for: by its label wherever it may be seen, else where the two ways of installing put it. */

/** Of the chart and of the manifests, and of `config/`. */
export const OPERATOR_LABEL = 'app.kubernetes.io/name in (reloader,reloader-operator)';

export interface OperatorHome {
  readonly namespace: string;
  /** Of the Deployment, and of the Service. */
  readonly name: string;
}

/** Of the chart as the documentation installs it, and of `make deploy`. */
const HOMES: readonly OperatorHome[] = [
  { namespace: 'reloader', name: 'reloader' },
  { namespace: 'reloader-operator-system', name: 'reloader-operator-controller-manager' },
];

/** `namespace`: the only one in question, if given. */
export function operatorHomes(namespace: string | undefined): readonly OperatorHome[] {
  return namespace === undefined ? HOMES : HOMES.map(({ name }) => ({ namespace, name }));
}
