/** `reloader manifests`: everything to install. */
import { stringify } from 'yaml';
import { generatedCrds } from '../../crds/generate.ts';
import { UsageError } from '../../settings/usage-error.ts';
import { packageImage, packageVersion } from '../../settings/version.ts';
import { installObjects } from '../install-manifest.ts';
import type { Surroundings } from '../surroundings.ts';

export interface ManifestsOptions {
  readonly namespace: string;
  readonly image?: string;
}

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export function manifestsCommand({ namespace, image }: ManifestsOptions, { print }: Surroundings): void {
  if (!NAMESPACE.test(namespace)) throw new UsageError(`No namespace can be called "${namespace}"`);
  const version = packageVersion();
  const objects = installObjects({
    namespace,
    version,
    image: image ?? packageImage(),
  });
  const documents = objects.map((object) =>
    stringify(object, { lineWidth: 110, aliasDuplicateObjects: false }),
  );
  print([...generatedCrds().values(), ...documents].join('---\n'));
}
