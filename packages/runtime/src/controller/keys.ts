/** Converts requests to queue keys and back. */
import { keyString, type ObjectKey, parseKey } from '../model/types.ts';

/** Converts a request to its queue key and back. */
export interface KeyCodec<R extends ObjectKey> {
  encode(request: R): string;
  decode(key: string): R;
  /** The namespace that the key counts towards for fairness. */
  namespaceOf(key: string): string;
}

/** `namespace/name`, or `name` if cluster-scoped: for controllers of one kind. */
export const objectKeys: KeyCodec<ObjectKey> = {
  encode: keyString,
  decode: parseKey,
  namespaceOf: (key) => parseKey(key).namespace ?? '',
};

/** A key for a controller of several kinds; `kindKeys` encodes it. */
export interface KindKey extends ObjectKey {
  readonly kind: string;
}

/** `Kind/namespace/name` (`Kind//name`): for controllers whose queue holds several kinds. */
export const kindKeys: KeyCodec<KindKey> = {
  encode: ({ kind, namespace = '', name }) => `${kind}/${namespace}/${name}`,
  decode: (key) => {
    const [kind = '', namespace = '', name = ''] = key.split('/', 3);
    return namespace ? { kind, namespace, name } : { kind, name };
  },
  namespaceOf: (key) => key.split('/', 2)[1] ?? '',
};
