import type { ContentRule, ContentVerdict } from '../reloader/model/content-rule.ts';
import { checkContent } from './check.ts';
import type { Content } from './content.ts';

export interface CheckRequest {
  /** The tenant whose requests queue behind each other: a namespace. */
  readonly tenant: string;
  readonly content: Content;
  readonly rules: readonly ContentRule[];
  /** Milliseconds since the epoch. */
  readonly now: number;
}

/** Checks contents against rules. */
export interface ContentChecker {
  check(request: CheckRequest): Promise<ContentVerdict>;
}

/** In this thread: for tests on a virtual clock, and for commands that check their own user's files. */
export const inlineChecker: ContentChecker = {
  async check({ content, rules, now }) {
    return checkContent(content, rules, now);
  },
};
