/**
 * The answers for a Secret or ConfigMap that a user writes: every violation of its rules, with the same messages as a
 * held reload.
 *
 * Only new content is judged. Changes of labels and annotations, unchanged content and objects being deleted pass.
 */
import {
  type AdmissionAnswer,
  type AdmissionHandler,
  type AdmissionRequest,
  allow,
  deepEqual,
  invalid,
  type KubernetesObject,
  validator,
} from '@reloader/runtime';
import { type ContentRule, findingText } from '../reloader/model/content-rule.ts';
import type { SourceRef } from '../reloader/model/source.ts';
import type { ContentChecker } from '../validate/checker.ts';
import { contentOf } from '../validate/content.ts';

export const SOURCE_PATH = '/validate-source';

type Texts = Readonly<Record<string, string>>;

export interface SourceAdmission {
  readonly checker: ContentChecker;
  /** The rules for a source with these labels and annotations; empty while they are not known. */
  readonly rulesFor: (ref: SourceRef, labels: Texts, annotations: Texts) => readonly ContentRule[];
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

interface SourceObject extends KubernetesObject {
  readonly data?: Texts;
  readonly binaryData?: Texts;
}

export function sourceHandler({ checker, rulesFor, now }: SourceAdmission): AdmissionHandler {
  const judge = async (object: SourceObject, request: AdmissionRequest): Promise<AdmissionAnswer> => {
    const { metadata = {}, data = {}, binaryData = {} } = object;
    const kind = request.kind.kind === 'Secret' ? 'Secret' : 'ConfigMap';
    const namespace = request.namespace ?? metadata.namespace ?? '';
    const ref = { kind, namespace, name: request.name ?? metadata.name ?? '' } as const;
    const rules = rulesFor(ref, metadata.labels ?? {}, metadata.annotations ?? {}).filter(
      ({ broken }) => broken === undefined,
    );
    if (rules.length === 0) return allow();
    const content = kind === 'Secret' ? contentOf(rules, {}, data) : contentOf(rules, data, binaryData);
    const { findings } = await checker.check({ tenant: namespace, content, rules, now: now() });
    if (findings.length === 0) return allow();
    return invalid(
      request,
      findings.map((finding) => ({ field: 'data', message: findingText(finding) })),
    );
  };
  return validator<SourceObject>({
    create: judge,
    update: (object, old, request) => {
      const isLeaving = object.metadata?.deletionTimestamp !== undefined;
      const isSame = deepEqual(object.data, old.data) && deepEqual(object.binaryData, old.binaryData);
      return isLeaving || isSame ? allow() : judge(object, request);
    },
  });
}
