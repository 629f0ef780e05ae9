/**
 * A digest that shows whether another client changed a pod template.
 *
 * In: a template. Out: 8 characters over everything except our own variables and annotations, independent of the order
 * of keys; a map or list that exists only because of ours counts as absent.
 */
import { type AnnotationNames, isOurs } from '../model/annotations.ts';
import { hashed } from '../model/hashed.ts';
import { isOurVariable } from '../model/variable.ts';
import type { PodTemplate } from '../model/workload-object.ts';

const DIGEST_LENGTH = 8;

export function templateDigest(template: PodTemplate, names: AnnotationNames): string {
  const text = canonical(withoutMarks(template, names));
  return hashed('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);
}

function withoutMarks(template: PodTemplate, names: AnnotationNames): unknown {
  const { metadata = {}, spec = {} } = template;
  const annotations = Object.entries(metadata.annotations ?? {}).filter(([name]) => !isOurs(name, names));
  const containers = (spec.containers ?? []).map((container) => {
    const env = (container.env ?? []).filter(({ name }) => !isOurVariable(name));
    return { ...container, env: env.length > 0 ? env : undefined };
  });
  return {
    ...template,
    metadata: {
      ...metadata,
      annotations: annotations.length > 0 ? Object.fromEntries(annotations) : undefined,
    },
    spec: { ...spec, containers },
  };
}

/** JSON with sorted keys. It runs for every event of every workload, hence the plain loops. */
function canonical(value: unknown): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null) return String(value);
  let text = '';
  if (Array.isArray(value)) {
    for (const item of value) text += `${canonical(item)},`;
    return `[${text}]`;
  }
  const map = value as Readonly<Record<string, unknown>>;
  for (const name of Object.keys(map).sort()) {
    const inner = map[name];
    if (inner !== undefined) text += `${JSON.stringify(name)}:${canonical(inner)},`;
  }
  return `{${text}}`;
}
