/** The reference pages of our custom resources. */
import { referencePage } from '@reloader/runtime/kind';
import { podConfigMapConfigCrd } from './pod-config-map-config.ts';
import { reloaderConfigCrd } from './reloader-config.ts';

const origin = 'Generated from packages/operator/src/crds: change it there, then run `npm run generate`.';

/** Path within the repository to content. */
export function generatedReference(): ReadonlyMap<string, string> {
  return new Map([
    [
      'docs/reference/reloaderconfig.md',
      referencePage(reloaderConfigCrd, { origin, guide: '../reloaderconfig.md' }),
    ],
    [
      'docs/reference/podconfigmapconfig.md',
      referencePage(podConfigMapConfigCrd, { origin, guide: '../podconfigmapconfig.md' }),
    ],
  ]);
}
