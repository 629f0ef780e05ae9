/** Pod templates as the API serves them: for Jobs, which are written whole, and for Deployments that a Rollout uses. */
import type { EnvSlot } from '../model/workload.ts';
import type { TemplateChange } from './template-change.ts';
import type { TemplateShape } from './template-operations.ts';

export interface RawTemplate {
  metadata?: { labels?: Record<string, string>; annotations?: Record<string, string> };
  spec?: { containers?: RawContainer[] };
}

interface RawContainer {
  name?: string;
  env?: { name?: string; value?: string; valueFrom?: unknown }[];
}

/** The containers of a template, and the positions of these variables in it. */
export function shapeOf(template: RawTemplate | undefined, variables: ReadonlySet<string>): TemplateShape {
  const containers = template?.spec?.containers ?? [];
  const slots: EnvSlot[] = containers.flatMap(({ name: container = '', env = [] }, containerIndex) =>
    env.flatMap(({ name = '', value = '' }, envIndex) =>
      variables.has(name) ? [{ container, containerIndex, envIndex, name, value }] : [],
    ),
  );
  return {
    containers: containers.map(({ name = '', env = [] }) => ({ name, envCount: env.length })),
    slots,
    hasTemplateAnnotations: template?.metadata?.annotations !== undefined,
  };
}

/** A changed copy. */
export function changedTemplate<T extends RawTemplate>(template: T, change: TemplateChange): T {
  const copy = structuredClone(template);
  copy.metadata = { ...copy.metadata, annotations: { ...copy.metadata?.annotations, ...change.annotations } };
  for (const container of copy.spec?.containers ?? []) {
    for (const { container: wanted, name, value } of change.variables) {
      if (value === undefined) {
        if (container.env) container.env = container.env.filter((entry) => entry.name !== name);
      } else if (container.name === wanted) {
        const env = container.env ?? [];
        const at = env.findIndex((entry) => entry.name === name);
        container.env = at < 0 ? [...env, { name, value }] : env.with(at, { name, value });
      }
    }
  }
  return copy;
}
