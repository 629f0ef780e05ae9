/** Resolves a kubeconfig context to one connection. */
import type { Clock } from '../../clock/clock.ts';
import { ConfigError } from '../errors.ts';
import type { ClusterConfig } from './cluster-config.ts';
import type { Entry, Kubeconfig } from './kubeconfig.ts';
import { tlsFrom } from './tls-settings.ts';
import { credentialsFrom } from './user-settings.ts';

export async function configFromContext(
  kubeconfig: Kubeconfig,
  wanted: string | undefined,
  clock: Clock,
  environment: NodeJS.ProcessEnv,
): Promise<ClusterConfig> {
  const context = contextFrom(kubeconfig, wanted);
  const cluster = referenced(context, 'cluster', kubeconfig.clusters);
  if (!cluster) throw context.fields.wrong('cluster', 'is missing');
  const user = referenced(context, 'user', kubeconfig.users);
  const credentials = await credentialsFrom(user, cluster, clock, environment);
  const proxyUrl = proxyFrom(cluster);
  return {
    server: serverFrom(cluster),
    source: context.fields.where,
    context: context.name,
    namespace: context.fields.string('namespace') ?? 'default',
    tls: tlsFrom(cluster, user, credentials, clock),
    credentials,
    ...(user && { user: user.name }),
    ...(proxyUrl !== undefined && { proxyUrl }),
  };
}

function contextFrom(kubeconfig: Kubeconfig, wanted: string | undefined): Entry {
  const files = kubeconfig.files.join(', ');
  const known = [...kubeconfig.contexts.keys()].sort();
  const choice = known.length > 0 ? `choose one of ${known.join(', ')}` : 'it has no contexts at all';
  const name = wanted ?? kubeconfig.currentContext;
  if (name === undefined) throw new ConfigError(`Kubeconfig ${files} sets no current-context: ${choice}`);
  const context = kubeconfig.contexts.get(name);
  if (!context) throw new ConfigError(`Kubeconfig ${files} has no context "${name}": ${choice}`);
  return context;
}

function referenced(
  context: Entry,
  field: 'cluster' | 'user',
  entries: ReadonlyMap<string, Entry>,
): Entry | undefined {
  const name = context.fields.string(field);
  if (name === undefined) return undefined;
  const entry = entries.get(name);
  if (!entry)
    throw context.fields.wrong(
      field,
      `is "${name}", but there is no such ${field}: add it or correct the name`,
    );
  return entry;
}

function serverFrom(cluster: Entry): string {
  const server = cluster.fields.requiredString('server');
  const url = URL.canParse(server) ? new URL(server) : undefined;
  if (!url || !['https:', 'http:'].includes(url.protocol)) {
    throw cluster.fields.wrong(
      'server',
      `is "${server}", but must be a URL that begins with https:// or http://`,
    );
  }
  return server.replace(/\/+$/, '');
}

function proxyFrom(cluster: Entry): string | undefined {
  const proxy = cluster.fields.string('proxy-url');
  if (proxy === undefined) return undefined;
  const url = URL.canParse(proxy) ? new URL(proxy) : undefined;
  if (url?.protocol !== 'http:') {
    throw cluster.fields.wrong(
      'proxy-url',
      `must begin with http:// (a proxy that understands CONNECT), other kinds such as ${url?.protocol.replace(':', '') ?? 'this'} are not supported`,
    );
  }
  return proxy;
}
