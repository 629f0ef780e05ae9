/** The environment variables of the env-vars strategy, named as Stakater names them. */
import { type SourceRef, STAKATER_TYPE } from './source.ts';

/** Set if a ReloaderConfig asked for the reload: the time of the reload, RFC 3339. */
export const TRIGGERED_AT = 'RELOADER_TRIGGERED_AT';

/** `www.example.com` of a ConfigMap is `STAKATER_WWW_EXAMPLE_COM_CONFIGMAP`; `a.b` and `a-b` share one variable. */
export function variableOf({ kind, name }: Pick<SourceRef, 'kind' | 'name'>): string {
  const words = name
    .toUpperCase()
    .replace(/^[^A-Z0-9]+/, '')
    .replace(/[^A-Z0-9]+/g, '_');
  return `STAKATER_${words}_${STAKATER_TYPE[kind]}`;
}

/** True for an environment variable that reloads write: Stakater's, and the one of ReloaderConfigs. */
export function isOurVariable(name: string | undefined): boolean {
  return name !== undefined && (name.startsWith('STAKATER_') || name === TRIGGERED_AT);
}
