/** Checks contents of Secrets and ConfigMaps against the rules in the same files. */
import { systemClock } from '@reloader/runtime';
import type { ConfigFacts } from '../reloader/model/config.ts';
import { findingText } from '../reloader/model/content-rule.ts';
import { rulesOfWatching } from '../reloader/want/content-rules.ts';
import { checkContent } from '../validate/check.ts';
import { contentOf } from '../validate/content.ts';
import { type LintedSource, textsOf } from './corpus.ts';
import type { Report } from './finding.ts';

export function checkContents(source: LintedSource, configs: readonly ConfigFacts[], report: Report): void {
  const { manifest, kind, labels, annotations } = source;
  const { namespace, name, object } = manifest;
  // A broken rule is reported where it is written.
  const rules = rulesOfWatching({ kind, namespace, name }, labels, textsOf(annotations), configs).filter(
    ({ broken }) => broken === undefined,
  );
  if (rules.length === 0) return;
  const isSecret = kind === 'Secret';
  const texts = textsOf(isSecret ? object.stringData : object.data);
  const encoded = textsOf(isSecret ? object.data : object.binaryData);
  // A manifest without data is filled by another tool.
  if (Object.keys(texts).length + Object.keys(encoded).length === 0) return;
  const { findings } = checkContent(contentOf(rules, texts, encoded), rules, systemClock.now());
  const place = (key: string): string => {
    if (isSecret) return Object.hasOwn(texts, key) ? 'stringData' : 'data';
    return Object.hasOwn(encoded, key) ? 'binaryData' : 'data';
  };
  for (const finding of findings) {
    const field = place(finding.key ?? '');
    report(field, 'invalid-content', findingText(finding), [field, finding.key ?? '']);
  }
}
