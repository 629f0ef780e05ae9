/** The content rules of a source: from its own annotations, and from the configs that ask for it. */
import { formatRules, requiredKeysRule } from '../../validate/rule.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { ConfigFacts } from '../model/config.ts';
import type { ContentRule } from '../model/content-rule.ts';
import type { SourceRef } from '../model/source.ts';
import { namedSources } from './config-match.ts';
import { own } from './own.ts';

export const NO_RULES: readonly ContentRule[] = [];

export function contentRulesFor(
  { kind, name }: Pick<SourceRef, 'kind' | 'name'>,
  annotations: Readonly<Record<string, string>> | undefined,
  configs: readonly Pick<ConfigFacts, 'validate'>[],
): readonly ContentRule[] {
  if (kind === 'SecretProviderClass') return NO_RULES;
  const annotated = annotations ? annotatedRules(annotations) : NO_RULES;
  const configured = configs.flatMap(({ validate }) =>
    validate
      .filter(({ source }) => !source || (source.kind === kind && source.name === name))
      .map(({ rule }) => rule),
  );
  return configured.length === 0 ? annotated : [...annotated, ...configured];
}

/** The same without a workload: from the configs that watch the source or name it in a rule. */
export function rulesOfWatching(
  ref: SourceRef,
  labels: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>>,
  configs: Iterable<ConfigFacts>,
): readonly ContentRule[] {
  const ruling = [...configs].flatMap((config) => {
    if (config.validate.length === 0 || config.ignored || config.metadata.namespace !== ref.namespace)
      return [];
    const validate = watches(config, ref, labels)
      ? config.validate
      : config.validate.filter(({ source }) => source);
    return [{ validate }];
  });
  return contentRulesFor(ref, annotations, ruling);
}

/** Ignores `autoReloadAll`, because the sources it watches depend on workloads. */
function watches(
  config: ConfigFacts,
  { kind, name }: SourceRef,
  labels: Readonly<Record<string, string>>,
): boolean {
  const named = namedSources(config);
  const selected = config.resourceSelector?.matches(labels);
  if (named.length === 0) return selected === true;
  return selected !== false && named.some((each) => each.kind === kind && each.name === name);
}

function annotatedRules(annotations: Readonly<Record<string, string>>): readonly ContentRule[] {
  const { requiredKeys, format } = FIXED_ANNOTATIONS;
  const [keys, formats] = [own(annotations, requiredKeys), own(annotations, format)];
  if (keys === undefined && formats === undefined) return NO_RULES;
  const required = requiredKeysRule(keys ?? '', requiredKeys);
  return [...(required ? [required] : []), ...formatRules(formats ?? '', format)];
}
