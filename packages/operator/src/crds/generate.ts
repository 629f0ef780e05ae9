/** Our definitions as files for `kubectl apply`. */
import { stringify } from 'yaml';
import { podConfigMapConfigCrd } from './pod-config-map-config.ts';
import { reloaderConfigCrd } from './reloader-config.ts';

const HEADER = '# Generated from packages/operator/src/crds: change it there, then run `npm run generate`.\n';

/** Path within the repository to content. */
export function generatedCrds(): ReadonlyMap<string, string> {
  return new Map([
    ['crd/reloaderconfig_crd.yaml', render(reloaderConfigCrd)],
    ['crd/podconfigmapconfig_crd.yaml', render(podConfigMapConfigCrd)],
  ]);
}

function render(definition: object): string {
  return HEADER + stringify(definition, { lineWidth: 0, aliasDuplicateObjects: false });
}
