/** The data of a generated ConfigMap: it depends on the pod and the config alone. */
import { TemplateError } from '../template/index.ts';
import type { TemplateRenderer } from '../template/renderer.ts';
import type { Shape } from '../template/shape.ts';
import type { PcmcFacts, PodFacts, Trouble } from './model.ts';

const BUILT_IN_KEYS: ReadonlySet<string> = new Set(['podName', 'namespace', 'nodeName', 'phase', 'pcmcName']);

const DATA_KEY = /^(?!\.\.)[-._a-zA-Z0-9]{1,253}$/;

/** Why a template cannot have this data key; undefined if it can. */
export function templateKeyProblem(key: string): string | undefined {
  if (!DATA_KEY.test(key) || key === '.')
    return 'a key of a ConfigMap has only letters, digits, ".", "_" and "-", and does not begin with ".."';
  return BUILT_IN_KEYS.has(key) || /^(label|annotation)_/.test(key)
    ? 'the controller writes this key itself, choose another name'
    : undefined;
}

/** Below the API server's limit, metadata aside, so that the error message is ours. */
const LARGEST_DATA_BYTES = 1_000_000;
/** For one template: a loop over a long annotation must not fill the memory of the process. */
const LARGEST_OUTPUT_BYTES = 262_144;

export type DataOf = { readonly data: Readonly<Record<string, string>> } | { readonly trouble: Trouble };

export async function dataOf(pod: PodFacts, config: PcmcFacts, renderer: TemplateRenderer): Promise<DataOf> {
  // Without a prototype, so that `__proto__` is an ordinary key.
  const data: Record<string, string> = Object.create(null);
  data.podName = pod.metadata.name;
  data.namespace = pod.metadata.namespace;
  data.nodeName = pod.nodeName;
  data.phase = pod.phase;
  data.pcmcName = config.metadata.name;
  copy(data, pod.labels, config.labels);
  copy(data, pod.annotations, config.annotations);
  if (config.templates.size > 0) {
    try {
      const texts = await renderer.render({
        tenant: pod.metadata.namespace,
        templates: [...config.templates],
        data: templateData(pod),
        shape: POD_SHAPE,
        maxOutputBytes: LARGEST_OUTPUT_BYTES,
      });
      [...config.templates.keys()].forEach((key, index) => {
        data[key] = texts[index] ?? '';
      });
    } catch (error) {
      if (!(error instanceof TemplateError)) throw error;
      const message = `spec.configMapDataTemplate[${JSON.stringify(error.template)}] for pod ${pod.metadata.name}: ${error.message}`;
      return { trouble: { reason: 'InvalidTemplate', message } };
    }
  }
  let bytes = 0;
  for (const key in data) bytes += Buffer.byteLength(key) + Buffer.byteLength(data[key] ?? '');
  if (bytes <= LARGEST_DATA_BYTES) return { data };
  const message = `The data for pod ${pod.metadata.name} has ${bytes} bytes, a ConfigMap holds ${LARGEST_DATA_BYTES}: include fewer annotations`;
  return { trouble: { reason: 'DataTooLarge', message } };
}

function copy(
  data: Record<string, string>,
  from: Readonly<Record<string, string>>,
  wanted: PcmcFacts['labels'],
): void {
  for (const [key, name] of wanted) {
    if (Object.hasOwn(from, key)) data[name] = from[key] ?? '';
  }
}

/** The data that templates see as the dot; labels and annotations may have any keys. */
export const POD_SHAPE: Shape = {
  fields: {
    metadata: {
      fields: {
        name: 'any',
        namespace: 'any',
        uid: 'any',
        labels: 'any',
        annotations: 'any',
        creationTimestamp: 'any',
      },
    },
    spec: {
      fields: {
        nodeName: 'any',
        serviceAccountName: 'any',
        containers: { items: { fields: { name: 'any', image: 'any' } } },
      },
    },
    status: { fields: { phase: 'any', podIP: 'any', hostIP: 'any' } },
  },
};

/** Has this shape. */
function templateData(pod: PodFacts): unknown {
  return {
    metadata: {
      name: pod.metadata.name,
      namespace: pod.metadata.namespace,
      uid: pod.metadata.uid,
      labels: pod.labels,
      annotations: pod.annotations,
      creationTimestamp: pod.createdAt,
    },
    spec: {
      nodeName: pod.nodeName,
      serviceAccountName: pod.serviceAccountName,
      containers: pod.containers,
    },
    status: { phase: pod.phase, podIP: pod.podIP, hostIP: pod.hostIP },
  };
}
