/** The subresources, by name; each offers its own verbs. */
import type { Authenticator } from '../../auth/authenticator.ts';
import type { Rbac } from '../../auth/rbac.ts';
import type { Kind } from '../../kinds/index.ts';
import type { Verb } from '../routes.ts';
import { get } from '../verbs/get.ts';
import { patch } from '../verbs/patch.ts';
import { update } from '../verbs/update.ts';

/** What some verbs need besides the call. */
export interface ServerParts {
  readonly authenticator: Authenticator;
  readonly rbac: Rbac;
}

type Verbs = Readonly<Record<string, Verb>>;

const BY_NAME: Readonly<Record<string, Verbs>> = {
  status: { get, update, patch },
};

/** Undefined where this server has nothing behind the name. */
export function subresources(_kind: Kind, name: string): Verbs | undefined {
  return BY_NAME[name];
}
