/** What the content of a Secret or ConfigMap has to be before it is rolled out, and what was found wrong with it. */
import type { SourceRef } from './source.ts';

export const CONTENT_FORMATS = ['yaml', 'json', 'properties', 'pem'] as const;
export type ContentFormat = (typeof CONTENT_FORMATS)[number];

export interface ContentRule {
  /** Stands for all that follows. */
  readonly id: string;
  /** Who asks, for people: `spec.validate[0] of ReloaderConfig shop/one`. */
  readonly from: string;
  readonly requiredKeys: readonly string[];
  /** What the rest is about. One that is missing is no mistake: `requiredKeys` says which have to be there. */
  readonly key?: string;
  readonly format?: ContentFormat;
  /** Of PEM: how long certificates still have to be valid. */
  readonly expiresInMs?: number;
  /** CEL over the parsed value, `self`. */
  readonly rule?: string;
  /** A schema that was read without complaint. */
  readonly schema?: object;
  /** Written by whoever wrote the rule. */
  readonly message?: string;
  /** It cannot be asked. Whatever it is about is held until it is put right. */
  readonly broken?: string;
}

/** An entry of `spec.validate`. */
export interface ConfigRule {
  /** Undefined: all that the config watches. */
  readonly source: Pick<SourceRef, 'kind' | 'name'> | undefined;
  readonly rule: ContentRule;
}

/** Nothing of it is a value of the content. */
export interface ContentFinding {
  readonly from: string;
  readonly key?: string;
  /** Within the parsed value, by names that the rule itself gives: `.servers[3].port`. */
  readonly path?: string;
  /** Counts from 1. */
  readonly line?: number;
  readonly column?: number;
  /** Continues the sentence that the place begins. */
  readonly what: string;
  readonly message?: string;
}

export interface ContentVerdict {
  readonly findings: readonly ContentFinding[];
  /** Milliseconds since the epoch: from then on it may be another one, because a certificate expires. */
  readonly until?: number;
}

/** A source whose content is about to be rolled out, and what it has to be. */
export interface ContentQuestion {
  readonly ref: SourceRef;
  readonly digest: string;
  readonly rules: readonly ContentRule[];
}

/** What is known of a content; undefined: nobody has looked at it. */
export type VerdictOf = (question: ContentQuestion) => ContentVerdict | undefined;

/** `key app.yaml, .workers: must be at most 64 (spec.validate[0] of ReloaderConfig shop/one: "1 to 64")`. */
export function findingText({ from, key, path, line, column, what, message }: ContentFinding): string {
  const place = [
    ...(key === undefined ? [] : [`key ${key}`]),
    ...(path === undefined || path === '' ? [] : [path]),
    ...(line === undefined ? [] : [`line ${line}${column === undefined ? '' : `, column ${column}`}`]),
  ].join(', ');
  const asked = message === undefined ? from : `${from}: "${message}"`;
  return `${place === '' ? '' : `${place}: `}${what} (${asked})`;
}
