/**
 * Verdicts on contents: each content is read once and checked, and only the verdict is kept.
 *
 * In: sources that are about to be rolled out, each with its digest and its rules. Out: verdicts, by digest and rules.
 * Guarantees: a question costs one request however many workloads ask it; a verdict is on exactly the content with its
 * digest, and if the read finds a newer content, the verdict is stored under that digest; nothing of a content is kept.
 * The number of verdicts is bounded, and they are lost with the process: then the content is read again.
 */
import type { Client, kinds, Stored } from '@reloader/runtime';
import type { ContentChecker } from '../../validate/checker.ts';
import { type Content, contentOf } from '../../validate/content.ts';
import { configMapFacts, type SourceProjectionOptions, secretFacts } from '../digest/source-projection.ts';
import type { ContentQuestion, ContentRule, ContentVerdict } from '../model/content-rule.ts';
import { ConfigMaps, Secrets } from '../model/kinds.ts';
import { type SourceRef, sourceKey } from '../model/source.ts';

export interface ContentVerdictsOptions {
  readonly client: Pick<Client, 'list'>;
  readonly checker: ContentChecker;
  /** Digests are computed as in the caches. */
  readonly projection: SourceProjectionOptions;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

const MOST_VERDICTS = 4_000;

export class ContentVerdicts {
  readonly #options: ContentVerdictsOptions;
  readonly #verdicts = new Map<string, ContentVerdict>();
  readonly #asking = new Map<string, Promise<void>>();

  constructor(options: ContentVerdictsOptions) {
    this.#options = options;
  }

  known(question: ContentQuestion): ContentVerdict | undefined {
    const name = nameOf(question);
    const verdict = this.#verdicts.get(name);
    if (verdict?.until === undefined || verdict.until > this.#options.now()) return verdict;
    this.#verdicts.delete(name);
    return undefined;
  }

  /** Afterwards the verdicts are known, unless a content was changed or deleted meanwhile, which causes an event. */
  async check(questions: readonly ContentQuestion[], signal: AbortSignal): Promise<void> {
    await Promise.all(questions.map((question) => this.#once(question, signal)));
  }

  #once(question: ContentQuestion, signal: AbortSignal): Promise<void> {
    const name = nameOf(question);
    const open = this.#asking.get(name);
    if (open) return open;
    const asked = this.#ask(question, signal).finally(() => this.#asking.delete(name));
    this.#asking.set(name, asked);
    return asked;
  }

  async #ask({ ref, rules }: ContentQuestion, signal: AbortSignal): Promise<void> {
    const { checker, now } = this.#options;
    const read = await this.#read(ref, rules, signal);
    if (!read) return;
    const { digest, content } = read;
    const verdict = await checker.check({ tenant: ref.namespace, content, rules, now: now() });
    this.#verdicts.set(nameOf({ ref, rules, digest }), verdict);
    for (const oldest of this.#verdicts.keys()) {
      if (this.#verdicts.size <= MOST_VERDICTS) break;
      this.#verdicts.delete(oldest);
    }
  }

  /** Lists with a field selector, because the operator always has the right to list sources, but not to get them. */
  async #read(
    { kind, namespace, name }: SourceRef,
    rules: readonly ContentRule[],
    signal: AbortSignal,
  ): Promise<{ readonly digest: string; readonly content: Content } | undefined> {
    const { client, projection } = this.#options;
    const one = { namespace, fieldSelector: `metadata.name=${name}`, signal };
    if (kind === 'Secret') {
      const [secret] = (await client.list(Secrets, one)).items;
      if (!secret) return undefined;
      const { digest } = secretFacts(secret as Stored<kinds.SecretObject>, projection);
      return { digest, content: contentOf(rules, {}, secret.data) };
    }
    const [map] = (await client.list(ConfigMaps, one)).items;
    if (!map) return undefined;
    const { digest } = configMapFacts(map as Stored<kinds.ConfigMapObject>, projection);
    return { digest, content: contentOf(rules, map.data, map.binaryData) };
  }
}

function nameOf({ ref, digest, rules }: ContentQuestion): string {
  return [sourceKey(ref), digest, ...rules.map(({ id }) => id)].join('\0');
}
