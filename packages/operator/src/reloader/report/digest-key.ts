/** Warnings about a digest key that is not protected well enough. */
import type { KeyPlace } from '../model/key-place.ts';

export interface KeyStatement {
  readonly reason: 'WeakDigestKey';
  readonly message: string;
}

const MESSAGES: Readonly<Record<KeyPlace, string | undefined>> = {
  secret: undefined,
  'config-map':
    "The digest key stands in a ConfigMap of the operator's namespace, and everybody who may read it can guess short values of Secrets by their digests, and everybody who may also write ConfigMaps there can have the operator create any Job: allow the operator to create and get the Secret reloader-digest-key, then run reloader rotate-key",
  process:
    'The digest key is kept in memory, so after each restart of the operator it has to be found out from the pods which Secrets they have seen: allow the operator to create and get the Secret reloader-digest-key',
  none: '--digest=sha1 asks for plain digests of Secrets, by which everybody who may read workloads can guess short values: leave the flag out',
};

export function aboutDigestKey(place: KeyPlace | undefined): readonly KeyStatement[] {
  const message = place && MESSAGES[place];
  return message ? [{ reason: 'WeakDigestKey', message }] : [];
}
