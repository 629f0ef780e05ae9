/**
 * The operator's permissions, read from the API server once at start.
 *
 * In: kinds and verbs. Out: allowed or denied for each. One SelfSubjectRulesReview per namespace reads the granted
 * rules; only if the server cannot list them all, the missing ones are reviewed by verb and kind. An unanswered
 * question counts as allowed: the request itself will show it.
 */
import { setMaxListeners } from 'node:events';
import { type Client, kinds, type Logger, type ResourceType, resourceName } from '@reloader/runtime';
import {
  ConfigMaps,
  ControllerRevisions,
  Namespaces,
  PodStatuses,
  ProviderClasses,
  ReloaderConfigs,
  ReplicaSets,
  Secrets,
  WORKLOAD_TYPES,
} from '../model/kinds.ts';
import type { ReloaderSettings } from '../model/settings.ts';
import { WORKLOAD_KINDS, type WorkloadKind } from '../model/workload.ts';
import { type Granted, grantedRules } from './granted-rules.ts';

export type AccessVerb = 'get' | 'list' | 'watch' | 'create' | 'patch' | 'delete';

export interface Access {
  /** Allowed in every watched namespace. */
  may(verb: AccessVerb, type: ResourceType): boolean;
  /** Allowed in at least one of them. */
  maySomewhere(verb: AccessVerb, type: ResourceType): boolean;
  /** The denied permissions, as `verb resource`. */
  readonly denied: readonly string[];
}

export interface AccessOptions {
  readonly client: Pick<Client, 'create'>;
  /** Empty for the whole cluster. */
  readonly namespaces: readonly string[];
  readonly logger: Logger;
  readonly signal?: AbortSignal;
  /** Default: `QUESTIONS`. */
  readonly questions?: readonly Question[];
}

export interface Question {
  readonly verb: AccessVerb;
  readonly type: ResourceType;
}

const READ: readonly AccessVerb[] = ['list', 'watch'];
const WORKLOAD: readonly AccessVerb[] = ['get', 'list', 'watch', 'patch'];

/** The permissions that watching and reloading need; further ones are checked where they are used. */
export const QUESTIONS: readonly Question[] = [
  ...[Secrets, ConfigMaps, Namespaces, ReloaderConfigs, PodStatuses, ProviderClasses].flatMap((type) =>
    READ.map((verb) => ({ verb, type })),
  ),
  ...Object.values(WORKLOAD_TYPES).flatMap((type) => WORKLOAD.map((verb) => ({ verb, type }))),
  { verb: 'list', type: ReplicaSets },
  { verb: 'list', type: ControllerRevisions },
  { verb: 'create', type: WORKLOAD_TYPES.Job },
  { verb: 'delete', type: WORKLOAD_TYPES.Job },
];

/** Enough for one round at start: with a distant API server each further round delays the watches. */
const AT_ONCE = 64;

export async function reviewAccess(options: AccessOptions): Promise<Access> {
  const places = options.namespaces.length > 0 ? options.namespaces : [undefined];
  const { questions = QUESTIONS } = options;
  const asked = questions.flatMap(({ verb, type }) =>
    // Namespace objects are cluster-scoped.
    (type.namespaced ? places : [undefined]).map((namespace) => ({ verb, type, namespace })),
  );
  // All requests listen to this signal at the same time.
  if (options.signal) setMaxListeners(0, options.signal);
  const answers = new Map<string, boolean[]>();
  const { client, logger, signal } = options;
  const reviewed = new Map<string | undefined, Promise<Granted>>();
  const rulesIn = (namespace: string | undefined): Promise<Granted> => {
    const known = reviewed.get(namespace) ?? grantedRules(client, namespace, logger, signal);
    reviewed.set(namespace, known);
    return known;
  };
  const left = [...asked];
  const work = async (): Promise<void> => {
    for (let question = left.shift(); question; question = left.shift()) {
      // For a single question an access review is smaller than the list of all rules.
      const granted = questions.length > 1 ? await rulesIn(question.namespace) : undefined;
      const allowed = granted?.(question.verb, question.type) ?? (await ask(options, question));
      const name = nameOf(question.verb, question.type);
      answers.set(name, [...(answers.get(name) ?? []), allowed]);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  const answersTo = (verb: AccessVerb, type: ResourceType): boolean[] =>
    answers.get(nameOf(verb, type)) ?? [];
  return {
    may: (verb, type) => answersTo(verb, type).every(Boolean),
    maySomewhere: (verb, type) => answersTo(verb, type).some(Boolean),
    denied: [...answers].filter(([, each]) => !each.every(Boolean)).map(([name]) => name),
  };
}

async function ask(
  { client, logger, signal }: AccessOptions,
  { verb, type, namespace }: Question & { readonly namespace: string | undefined },
): Promise<boolean> {
  const resourceAttributes = {
    verb,
    group: type.group,
    version: type.version,
    resource: type.plural,
    ...(namespace === undefined ? {} : { namespace }),
  };
  try {
    const review = await client.create(
      kinds.SelfSubjectAccessReview,
      {
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: { resourceAttributes },
      },
      signal ? { signal } : {},
    );
    return review.status?.allowed ?? false;
  } catch (error) {
    signal?.throwIfAborted();
    logger.debug('An access review was not answered', {
      verb,
      resource: resourceName(type),
      namespace,
      error,
    });
    return true;
  }
}

function nameOf(verb: AccessVerb, type: ResourceType): string {
  return `${verb} ${resourceName(type)}`;
}

/** Missing permissions that nothing else would report, as `verb resource`. */
export function silentlyMissing(
  access: Access,
  { mode, ignoredWorkloads }: ReloaderSettings,
): readonly string[] {
  const patched = WORKLOAD_KINDS.filter((kind) => PATCHED.has(kind) && !ignoredWorkloads.has(kind));
  const wanted: readonly Question[] = [
    ...READ.map((verb) => ({ verb, type: Namespaces })),
    ...(mode === 'observe'
      ? []
      : [
          ...patched.map((kind) => ({ verb: 'patch' as const, type: WORKLOAD_TYPES[kind] })),
          ...[ReplicaSets, ControllerRevisions].map((type) => ({ verb: 'list' as const, type })),
        ]),
  ];
  return wanted
    .filter(({ verb, type }) => !access.may(verb, type))
    .map(({ verb, type }) => nameOf(verb, type));
}

/** CronJobs and Jobs are never patched; the other kinds may not be installed and then need no permission. */
const PATCHED: ReadonlySet<WorkloadKind> = new Set(['Deployment', 'StatefulSet', 'DaemonSet']);
