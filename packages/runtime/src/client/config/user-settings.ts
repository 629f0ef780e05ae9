/** The credentials of a kubeconfig user: token, token file, password, plugin, impersonation. */

import type { Clock } from '../../clock/clock.ts';
import {
  basic,
  bearer,
  type Credentials,
  fixedCredentials,
  type Impersonation,
  impersonating,
  tokenFileCredentials,
} from '../auth/credentials.ts';
import { execCredentials } from '../auth/exec.ts';
import { FileContent } from '../auth/file-content.ts';
import { ConfigError } from '../errors.ts';
import { execSpecFrom } from './exec-settings.ts';
import type { Fields } from './fields.ts';
import { type Entry, pathFrom } from './kubeconfig.ts';

export async function credentialsFrom(
  user: Entry | undefined,
  cluster: Entry,
  clock: Clock,
  environment: NodeJS.ProcessEnv,
): Promise<Credentials> {
  if (!user) return fixedCredentials();
  refuseAuthProvider(user.fields);
  const own = await ownCredentials(user, cluster, clock, environment);
  const who = impersonationFrom(user.fields);
  return who ? impersonating(own, who) : own;
}

async function ownCredentials(
  user: Entry,
  cluster: Entry,
  clock: Clock,
  environment: NodeJS.ProcessEnv,
): Promise<Credentials> {
  const { fields } = user;
  const token = fields.string('token');
  const tokenFile = fields.string('tokenFile');
  const username = fields.string('username');
  const password = fields.string('password');
  if (token !== undefined && (username !== undefined || password !== undefined)) {
    throw new ConfigError(`The ${fields.where} has a token and a password: remove one of the two`);
  }
  if (tokenFile !== undefined) {
    const file = new FileContent(pathFrom(user, tokenFile), 'token file', clock);
    // If both are set, the file wins as long as it can be read.
    if (token === undefined || (await readable(file))) return tokenFileCredentials(file);
  }
  if (token !== undefined) return fixedCredentials(bearer(token));
  if (username !== undefined) return fixedCredentials(basic(username, password ?? ''));
  const exec = await execSpecFrom(user, cluster, clock);
  return exec ? execCredentials(exec, { clock, environment }) : fixedCredentials();
}

async function readable(file: FileContent): Promise<boolean> {
  return file.read().then(
    () => true,
    () => false,
  );
}

function refuseAuthProvider(user: Fields): void {
  const provider = user.object('auth-provider');
  if (!provider) return;
  const name = provider.string('name') ?? 'without a name';
  throw new ConfigError(
    `The ${user.where} uses the auth-provider ${name}, which Kubernetes 1.26 removed: replace it by an exec plugin (for example kubelogin for oidc and azure, gke-gcloud-auth-plugin for gcp)`,
  );
}

function impersonationFrom(user: Fields): Impersonation | undefined {
  const as = user.string('as');
  const uid = user.string('as-uid');
  const groups = user.strings('as-groups');
  const extraFields = user.object('as-user-extra');
  if (as === undefined) {
    if (uid === undefined && groups.length === 0 && !extraFields) return undefined;
    throw user.wrong('as', 'is missing: as-uid, as-groups and as-user-extra need the user they belong to');
  }
  const extra = new Map(extraFields?.keys().map((key) => [key, extraFields.strings(key)]));
  return { user: as, groups, extra, ...(uid !== undefined && { uid }) };
}
