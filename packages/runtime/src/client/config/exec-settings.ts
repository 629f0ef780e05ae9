/** The `exec` part of a kubeconfig user, checked. */
import { isAbsolute } from 'node:path';
import type { Clock } from '../../clock/clock.ts';
import type { ExecSpec, InteractiveMode } from '../auth/exec-credential.ts';
import { FileContent } from '../auth/file-content.ts';
import { Fields } from './fields.ts';
import { type Entry, pathFrom } from './kubeconfig.ts';
import { pemFrom } from './tls-settings.ts';

const GROUP = 'client.authentication.k8s.io';
const VERSIONS: ReadonlySet<string> = new Set([`${GROUP}/v1`, `${GROUP}/v1beta1`]);
const MODES: ReadonlySet<string> = new Set(['Never', 'IfAvailable', 'Always']);

export async function execSpecFrom(user: Entry, cluster: Entry, clock: Clock): Promise<ExecSpec | undefined> {
  const exec = user.fields.object('exec');
  if (!exec) return undefined;
  const apiVersion = exec.requiredString('apiVersion');
  if (!VERSIONS.has(apiVersion)) {
    throw exec.wrong(
      'apiVersion',
      `is ${apiVersion}, but only v1 and v1beta1 of ${GROUP} exist today: update the plugin and its entry`,
    );
  }
  const installHint = exec.string('installHint');
  return {
    apiVersion,
    command: commandFrom(user, exec.requiredString('command')),
    args: exec.strings('args'),
    env: environmentFrom(exec),
    interactiveMode: interactiveModeFrom(exec, apiVersion),
    owner: user.fields.where,
    ...(installHint !== undefined && { installHint }),
    ...(exec.boolean('provideClusterInfo') && { cluster: await clusterInfo(cluster, clock) }),
  };
}

/** A bare name is looked up in PATH; anything with a slash is a path, relative to the kubeconfig. */
function commandFrom(user: Entry, command: string): string {
  return command.includes('/') && !isAbsolute(command) ? pathFrom(user, command) : command;
}

function interactiveModeFrom(exec: Fields, apiVersion: string): InteractiveMode {
  const mode = exec.string('interactiveMode') ?? (apiVersion.endsWith('/v1') ? undefined : 'IfAvailable');
  if (mode === undefined) throw exec.wrong('interactiveMode', 'is missing: Never, IfAvailable or Always');
  if (!MODES.has(mode)) {
    throw exec.wrong('interactiveMode', `is "${mode}", but must be Never, IfAvailable or Always`);
  }
  return mode as InteractiveMode;
}

function environmentFrom(exec: Fields): ReadonlyMap<string, string> {
  return new Map(
    exec.list('env').map((value, index) => {
      const pair = new Fields(value, `env[${index}] of ${exec.where}`);
      return [pair.requiredString('name'), pair.string('value') ?? ''];
    }),
  );
}

async function clusterInfo(cluster: Entry, clock: Clock): Promise<object> {
  const { fields } = cluster;
  const ca = pemFrom(cluster, 'certificate-authority', 'CA file', clock);
  const pem = ca instanceof FileContent ? await ca.read() : ca;
  const own = fields
    .list('extensions')
    .map((value, index) => new Fields(value, `extensions[${index}] of ${fields.where}`))
    .find((extension) => extension.string('name') === `${GROUP}/exec`);
  return {
    server: fields.requiredString('server'),
    ...optional('tls-server-name', fields.string('tls-server-name')),
    ...(fields.boolean('insecure-skip-tls-verify') && { 'insecure-skip-tls-verify': true }),
    ...optional('certificate-authority-data', pem && Buffer.from(pem).toString('base64')),
    ...optional('proxy-url', fields.string('proxy-url')),
    ...optional('config', own?.raw('extension')),
  };
}

function optional(name: string, value: unknown): object {
  return value === undefined ? {} : { [name]: value };
}
