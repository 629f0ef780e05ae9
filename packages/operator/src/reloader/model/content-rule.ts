/** Rules that the content of a Secret or ConfigMap must meet before it is rolled out, and the violations found. */
import type { SourceRef } from './source.ts';

export const CONTENT_FORMATS = ['yaml', 'json', 'properties', 'pem'] as const;
export type ContentFormat = (typeof CONTENT_FORMATS)[number];

export interface ContentRule {
  /** Identifies the rule: equal ids mean equal fields. */
  readonly id: string;
  /** Where the rule was written, for messages: `spec.validate[0] of ReloaderConfig shop/one`. */
  readonly from: string;
  readonly requiredKeys: readonly string[];
  /** The key that the following fields apply to. A missing key is no violation: `requiredKeys` demands keys. */
  readonly key?: string;
  readonly format?: ContentFormat;
  /** Only for PEM: how long certificates must still be valid. */
  readonly expiresInMs?: number;
  /** CEL over the parsed value, `self`. */
  readonly rule?: string;
  /** A schema that was parsed without errors. */
  readonly schema?: object;
  /** The rule author's own text. */
  readonly message?: string;
  /** Why the rule cannot be evaluated. Reloads for its sources are held until a user corrects it. */
  readonly broken?: string;
}

/** An entry of `spec.validate`. */
export interface ConfigRule {
  /** Undefined: all sources that the config watches. */
  readonly source: Pick<SourceRef, 'kind' | 'name'> | undefined;
  readonly rule: ContentRule;
}

/** A violation. It never contains a value of the content. */
export interface ContentFinding {
  readonly from: string;
  readonly key?: string;
  /** Path within the parsed value, by names that the rule itself contains: `.servers[3].port`. */
  readonly path?: string;
  /** Counts from 1. */
  readonly line?: number;
  readonly column?: number;
  /** The violation, worded to follow the place: `must be at most 64`. */
  readonly what: string;
  readonly message?: string;
}

export interface ContentVerdict {
  readonly findings: readonly ContentFinding[];
  /** Milliseconds since the epoch: the verdict is valid until then, because a certificate expires. */
  readonly until?: number;
}

/** A source whose content is about to be rolled out, and the rules for it. */
export interface ContentQuestion {
  readonly ref: SourceRef;
  readonly digest: string;
  readonly rules: readonly ContentRule[];
}

/** Looks up the verdict on a content; undefined: it was not examined yet. */
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
