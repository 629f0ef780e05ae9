/** `reloader manifests`: all objects of an installation. */
import { stringify } from 'yaml';
import { generatedCrds } from '../../crds/generate.ts';
import { CONTROLLER_NAMES } from '../../settings/settings.ts';
import { UsageError } from '../../settings/usage-error.ts';
import { packageImage, packageVersion } from '../../settings/version.ts';
import type { CommandIO } from '../command-io.ts';
import { installObjects } from '../install-manifest.ts';
import { FEATURES } from '../install-rules.ts';

export interface ManifestsOptions {
  readonly namespace: string;
  readonly image?: string;
  /** Each of them is comma-separated. */
  readonly namespaces?: string;
  readonly controllers: string;
  readonly with?: string;
}

const NAMESPACE = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

export function manifestsCommand(options: ManifestsOptions, { print }: CommandIO): void {
  const { namespace, image } = options;
  const watched = [...new Set(words(options.namespaces))];
  if (options.namespaces !== undefined && watched.length === 0) {
    throw new UsageError('--namespaces: name at least one, or leave it out to watch all of them');
  }
  for (const each of [namespace, ...watched]) {
    if (!NAMESPACE.test(each)) throw new UsageError(`No namespace can be called "${each}"`);
  }
  const controllers = chosen('--controllers', options.controllers, CONTROLLER_NAMES);
  if (controllers.size === 0) throw new UsageError('--controllers: name at least one, or nothing would run');
  const features = chosen('--with', options.with, FEATURES);
  const version = packageVersion();
  const objects = installObjects({
    namespace,
    watched,
    controllers,
    features,
    version,
    image: image ?? packageImage(),
  });
  const documents = objects.map((object) =>
    stringify(object, { lineWidth: 110, aliasDuplicateObjects: false }),
  );
  print([...generatedCrds().values(), ...documents].join('---\n'));
}

function words(text: string | undefined): string[] {
  return (text ?? '')
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '');
}

function chosen<T extends string>(option: string, text: string | undefined, known: readonly T[]): Set<T> {
  const names = words(text).map((word) => {
    const found = known.find((each) => each === word);
    if (!found) throw new UsageError(`${option}: there is no "${word}", only ${known.join(', ')}`);
    return found;
  });
  return new Set(names);
}
