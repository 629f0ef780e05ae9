/** The environment variables that are read. Flags take precedence. */
export const ENVIRONMENT = {
  KUBERNETES_NAMESPACE: 'Watch this one namespace, where --namespaces names none.',
  KUBECONFIG: 'Paths of kubeconfigs, where --kubeconfig gives none.',
  POD_NAME: 'Name of the pod; --enable-ha needs it.',
  POD_NAMESPACE: 'Namespace of the pod: the lease is kept there; --enable-ha needs it.',
  RELOADER_NAMESPACE:
    'Where objects of the operator itself are kept: digest key, history, meta-info. POD_NAMESPACE unless given.',
  RELOADER_DEPLOYMENT_NAME: 'Name of the Deployment of the operator, for the meta-info ConfigMap.',
  METRICS_COUNT_BY_NAMESPACE: 'enabled adds reload counts by namespace to the metrics.',
  ALERT_ON_RELOAD: 'true sends an alert for every reload, where --alert-on-reload is not given.',
  ALERT_SINK: 'slack, teams or gchat; raw text for anything else. --alert-sink wins.',
  ALERT_WEBHOOK_URL: 'Where alerts go, where --alert-webhook-url is not given.',
  ALERT_WEBHOOK_PROXY: 'HTTP proxy for all alerts, those of ReloaderConfigs included.',
  ALERT_ADDITIONAL_INFO: 'Text in front of every alert, where --alert-additional-info is not given.',
} as const;

export type Environment = Readonly<Record<string, string | undefined>>;
export type VariableName = keyof typeof ENVIRONMENT;

/** Undefined if it is not set, or empty. */
export function variable(environment: Environment, name: VariableName): string | undefined {
  return environment[name] || undefined;
}
