/** The subresources, by name; each offers its own verbs. */
import type { Kind } from '../../kinds/index.ts';
import type { Verb } from '../call.ts';
import { get } from '../verbs/get.ts';
import { patch } from '../verbs/patch.ts';
import { update } from '../verbs/update.ts';
import { createBinding } from './binding.ts';
import { evict } from './eviction.ts';
import { finalize } from './finalize.ts';
import { readLog } from './log.ts';
import { getScale, patchScale, updateScale } from './scale.ts';
import { requestToken } from './token.ts';

type Verbs = Readonly<Record<string, Verb>>;

const BY_NAME: Readonly<Record<string, Verbs>> = {
  status: { get, update, patch },
  scale: { get: getScale, update: updateScale, patch: patchScale },
  finalize: { update: finalize },
  binding: { create: createBinding },
  eviction: { create: evict },
  token: { create: requestToken },
  log: { get: readLog },
};

/** Undefined for an unsupported subresource. */
export function subresources(_kind: Kind, name: string): Verbs | undefined {
  return BY_NAME[name];
}
