/** Converts API objects to facts. User input never makes it throw. */
import { createHash } from 'node:crypto';
import {
  type KubernetesObject,
  type kinds,
  type Selector,
  SelectorError,
  type Stored,
  selectorFrom,
} from '@reloader/runtime';
import { compileTemplate, TemplateError } from '../template/index.ts';
import { POD_SHAPE, templateKeyProblem } from './data.ts';
import {
  GENERATED_BY,
  type GeneratedFacts,
  type PcmcFacts,
  POD_UID,
  type PodConfigMapConfig,
  type PodFacts,
  type Trouble,
} from './model.ts';
import { dataKeys, isNameFor, podInName } from './names.ts';

interface RawPod extends KubernetesObject {
  spec?: {
    nodeName?: string;
    serviceAccountName?: string;
    containers?: { name?: string; image?: string }[];
  };
  status?: { phase?: string; podIP?: string; hostIP?: string };
}

/** kubectl's copy of the manifest: never wanted as data, and the largest part of many pods. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

export function projectPod(object: Stored<KubernetesObject>): PodFacts {
  const { spec = {}, status = {} } = object as RawPod;
  const { annotations = {}, labels = {} } = object.metadata;
  const { [LAST_APPLIED]: _, ...kept } = annotations;
  return {
    metadata: identityOf(object),
    labels,
    annotations: kept,
    createdAt: object.metadata.creationTimestamp ?? '',
    deleting: object.metadata.deletionTimestamp !== undefined,
    nodeName: spec.nodeName ?? '',
    serviceAccountName: spec.serviceAccountName ?? '',
    phase: status.phase ?? '',
    podIP: status.podIP ?? '',
    hostIP: status.hostIP ?? '',
    containers: (spec.containers ?? []).map(({ name = '', image = '' }) => ({ name, image })),
  };
}

export function projectConfig(object: Stored<PodConfigMapConfig>): PcmcFacts {
  const { spec = {}, status = {}, metadata } = object;
  const problems: ConfigProblem[] = [];
  const selector = selectorOf(spec.podSelector, problems);
  const templates = templatesOf(spec.configMapDataTemplate, problems);
  const [first] = problems;
  return {
    metadata: identityOf(object),
    generation: metadata.generation ?? 0,
    createdAt: Math.floor(Date.parse(metadata.creationTimestamp ?? '') / 1000) || 0,
    deleting: metadata.deletionTimestamp !== undefined,
    selector,
    labels: dataKeys('label_', strings(spec.labelsToInclude)),
    annotations: dataKeys('annotation_', strings(spec.annotationsToInclude)),
    templates,
    trouble: first && { reason: first.reason, message: `${first.field}: ${first.message}` },
    status,
  };
}

/** A mistake in a spec, by field. */
export interface ConfigProblem {
  readonly reason: Extract<Trouble['reason'], 'ErrorInPodSelector' | 'InvalidTemplate'>;
  readonly field: string;
  readonly message: string;
}

export function problemsOf({ spec = {} }: PodConfigMapConfig): readonly ConfigProblem[] {
  const problems: ConfigProblem[] = [];
  selectorOf(spec.podSelector, problems);
  templatesOf(spec.configMapDataTemplate, problems);
  return problems;
}

type Spec = NonNullable<PodConfigMapConfig['spec']>;

function selectorOf(selector: Spec['podSelector'], problems: ConfigProblem[]): Selector | undefined {
  try {
    // Absent and empty both select every pod.
    return selectorFrom(selector ?? {});
  } catch (error) {
    if (!(error instanceof SelectorError)) throw error;
    problems.push({ reason: 'ErrorInPodSelector', field: 'spec.podSelector', message: error.message });
    return undefined;
  }
}

/**
 * Templates up to this many characters are compiled here, on the event loop, so that a mistake in them is reported at
 * once. The worker compiles the rest when the first pod needs it, and reports mistakes then.
 */
const READ_AT_ONCE = 8_192;

function templatesOf(source: Spec['configMapDataTemplate'], problems: ConfigProblem[]): Map<string, string> {
  const templates = new Map<string, string>();
  let read = 0;
  const given: unknown = source ?? {};
  if (typeof given !== 'object' || Array.isArray(given)) {
    const message = 'must be a map of templates';
    problems.push({ reason: 'InvalidTemplate', field: 'spec.configMapDataTemplate', message });
    return templates;
  }
  for (const key of Object.keys(source ?? {}).sort()) {
    const refuse = (message: string): void => {
      const field = `spec.configMapDataTemplate[${JSON.stringify(key)}]`;
      problems.push({ reason: 'InvalidTemplate', field, message });
    };
    const text = Object.getOwnPropertyDescriptor(source, key)?.value;
    const badKey = templateKeyProblem(key);
    if (badKey !== undefined) {
      refuse(badKey);
    } else if (typeof text !== 'string') {
      refuse('the template must be a string');
    } else {
      templates.set(key, text);
      read += text.length;
      if (read > READ_AT_ONCE) continue;
      try {
        compileTemplate(text, { name: key, shape: POD_SHAPE });
      } catch (error) {
        if (!(error instanceof TemplateError)) throw error;
        refuse(error.message);
      }
    }
  }
  return templates;
}

export function projectGenerated(object: Stored<kinds.ConfigMapObject>): GeneratedFacts {
  const { name, labels = {}, ownerReferences = [], deletionTimestamp } = object.metadata;
  const [first] = ownerReferences;
  const owner =
    first?.kind === 'Pod' && first.apiVersion === 'v1' && first.controller === true ? first : undefined;
  const [config = '', podUid = ''] = [labels[GENERATED_BY], labels[POD_UID]];
  return {
    metadata: identityOf(object),
    config,
    podUid,
    owner: owner?.name,
    pod: owner?.name ?? podInName(name, config),
    // A copy has our labels, and perhaps our owner reference, but another name.
    proven: owner !== undefined && owner.uid === podUid && isNameFor(name, owner.name, config),
    deleting: deletionTimestamp !== undefined,
    digest: contentDigest({
      data: object.data ?? {},
      config,
      podUid,
      owners: ownerReferences.map(({ apiVersion, kind, name, uid, controller, blockOwnerDeletion }) =>
        [apiVersion, kind, name, uid, controller, blockOwnerDeletion].join('/'),
      ),
    }),
  };
}

export interface Content {
  readonly data: Readonly<Record<string, string>>;
  readonly config: string;
  readonly podUid: string;
  readonly owners: readonly string[];
}

/** Length-prefixed, so that different contents never give the same input. */
export function contentDigest({ data, config, podUid, owners }: Content): string {
  let all = '';
  const add = (text: string): void => {
    all += `${Buffer.byteLength(text)}:${text}`;
  };
  for (const part of [config, podUid, String(owners.length), ...owners]) add(part);
  for (const key of Object.keys(data).sort()) {
    add(key);
    add(data[key] ?? '');
  }
  return createHash('sha256').update(all).digest('base64url').slice(0, 22);
}

function identityOf({ metadata }: Stored<KubernetesObject>): PodFacts['metadata'] {
  const { name, namespace = '', uid, resourceVersion } = metadata;
  return { name, namespace, uid, resourceVersion };
}

/** Empty if it is no list: an object may have been stored before its definition had rules. */
function strings(list: unknown): string[] {
  return Array.isArray(list) ? list.filter((item) => typeof item === 'string') : [];
}
