/** Behaviour of a real server that this one lacks: the client gets a warning, every time. */
import type { Kind } from '../kinds/index.ts';
import type { KubeObject } from '../model/object.ts';

type Gap = (object: KubeObject) => string | undefined;

const always =
  (text: string): Gap =>
  () =>
    text;

const GAPS: Readonly<Record<string, Gap>> = {
  ResourceQuota: always('minicluster does not enforce quotas: this one is stored and has no effect'),
  LimitRange: always('minicluster does not apply limit ranges: this one is stored and has no effect'),
  CustomResourceDefinition: ({ spec }) =>
    (spec as { conversion?: { strategy?: string } } | undefined)?.conversion?.strategy === 'Webhook'
      ? 'minicluster does not call conversion webhooks: every version shows the same content'
      : undefined,
};

/** Texts for the `Warning` header. */
export function gapWarnings(kind: Kind, object: KubeObject): string[] {
  if (kind.definition === undefined) return [];
  const text = GAPS[kind.kind]?.(object);
  return text === undefined ? [] : [text];
}
