/**
 * A cluster of one workload for random walks: sources, a template with its revisions, pods that hold the content from
 * their start, and an operator that decides, may defer, and may crash at any point.
 *
 * Rollouts are slow: the first of two pods is replaced at once, the second when the rollout ends. Each step takes at
 * least a second, because events within one second have no known order. For each reload it notes whether a pod needed
 * it: a pod that stays although it holds an older content.
 */

import { formatLedger } from '../ledger/ledger.ts';
import { baseOf } from '../ledger/note.ts';
import { afterNote, afterPatch, emptyMemory, remember } from '../ledger/remember.ts';
import { FIXED_ANNOTATIONS } from '../model/annotations.ts';
import type { Decision, Verdict } from '../model/decision.ts';
import type { Ledger, Note } from '../model/ledger.ts';
import type { Memory } from '../model/memory.ts';
import type { PastContent } from '../model/source-facts.ts';
import type { WantedSource } from '../model/want.ts';
import type { WorkloadFacts } from '../model/workload.ts';
import { workloadFacts } from '../want/world.test.support.ts';
import {
  decide,
  digestOf,
  gone,
  inputWith,
  type NotedInput,
  present,
  wantFor,
} from './decide.test.support.ts';

/** Of the workload, in seconds since the epoch. */
const CREATED_AT = 10_004;

interface Content {
  readonly text: string;
  readonly createdAt: number;
  readonly writtenAt: number;
}

interface Pod {
  readonly createdAt: number;
  /** A pod whose source is missing waits for it and reads the content that comes. */
  readonly holds: Map<string, string>;
}

interface Revision {
  readonly template: string;
  readonly mark: string | undefined;
  /** Kubernetes copies annotations to the ReplicaSet of the current template. */
  ledger: string | undefined;
}

export interface ReloadNote {
  readonly needed: boolean;
  readonly findings: readonly string[];
}

export class WalkCluster {
  readonly #sources = new Map<string, Content>();
  readonly #before = new Map<string, string>();
  /** The contents that a running operator saw, by source. */
  readonly #past = new Map<string, PastContent[]>();
  readonly reloads: ReloadNote[] = [];
  #now = 10_000_000;
  #written = 0;
  #templates = 0;
  #templateWrittenAt = 10_000;
  #revisions: Revision[] = [{ template: 'template-0', mark: undefined, ledger: undefined }];
  #pods: Pod[] = [];
  #rolling = false;
  #memory: Memory | undefined;
  /** The notebook. */
  #note: Note | undefined;
  #version = 1;
  #asks: boolean;
  /** Seconds since the epoch. */
  #askedAt = CREATED_AT;
  readonly #installedAt: number;
  /** The workload as it was before our last write. */
  #unseen: WorkloadFacts | undefined;

  /** `asks`: the workload is opted in from the start; otherwise it is older than the install, and opts in later. */
  constructor(names: readonly string[], { asks = true } = {}) {
    this.#asks = asks;
    this.#installedAt = asks ? 1 : CREATED_AT;
    for (const name of names) this.#put(name, `${name}-first`);
    this.#now += 5000;
    this.#pods = [this.#newPod(), this.#newPod()];
    this.#now += 5000;
    this.pass({});
  }

  tick(seconds: number): void {
    this.#now += seconds * 1000;
  }

  edit(name: string): void {
    this.#written += 1;
    if (this.#sources.has(name)) this.#put(name, `${name}-${this.#written}`);
  }

  /**
   * Back to the content before the last edit, if that is the recorded one. Where no operator saw the edit, only if no
   * pod has read the content in between: of a rollout by others only the pods are left, and they do not tell their
   * content. And only while no operator runs: it would have to doubt the pods.
   */
  takeBack(name: string): void {
    const before = this.#before.get(name);
    const record = this.#memory?.ledger ?? this.#note?.record;
    const known = record ? formatLedger(record) : this.#current.ledger;
    const entry = before === undefined ? undefined : `"cm/${name}":"${digestOf(before)}"`;
    if (before === undefined || entry === undefined || !known?.includes(entry)) return;
    // A crash loses a record that is not stored yet: of a later return, only the time of its write would be left.
    const stored = this.#note ? formatLedger(this.#note.record) : this.#current.ledger;
    if (!stored?.includes(entry)) return;
    const seen = this.#past.get(name)?.some(({ digest }) => digest === digestOf(before));
    if (!seen && (this.#memory || this.#pods.some(({ holds }) => holds.get(name) !== before))) return;
    this.#put(name, before);
    // The operator sees that at once, and looks at the pods: a crash before would be the other case.
    if (!this.#memory || this.pass({ defer: true }).action !== 'ask-pods') return;
    this.finishRollout();
    this.pass({ defer: true });
  }

  delete(name: string): void {
    const content = this.#sources.get(name);
    if (content) this.#before.set(name, content.text);
    this.#sources.delete(name);
    this.#past.delete(name);
  }

  /** With the content from before, or another one. */
  create(name: string, asBefore: boolean): void {
    if (this.#sources.has(name)) return;
    this.#written += 1;
    const text = asBefore ? (this.#before.get(name) ?? '') : `${name}-${this.#written}`;
    this.#sources.set(name, { text, createdAt: this.#second, writtenAt: this.#second });
    for (const { holds } of this.#pods) if (!holds.has(name)) holds.set(name, text);
  }

  /** By another client. */
  editTemplate(): void {
    this.#templates += 1;
    this.#templateWrittenAt = this.#second;
    const { mark, ledger } = this.#current;
    this.#roll({ template: `template-${this.#templates}`, mark, ledger });
  }

  /** By a tool that does not know our mark. */
  stripMark(): void {
    const { mark, ...current } = this.#current;
    if (mark === undefined) return;
    this.#templateWrittenAt = this.#second;
    this.#roll({ ...current, mark: undefined });
  }

  /** `kubectl rollout undo`: the template before, and the annotations it had. */
  undo(): void {
    const target = this.#revisions.at(-2);
    if (!target) return;
    this.finishRollout();
    this.#revisions = this.#revisions.filter((revision) => revision !== target);
    this.#templateWrittenAt = this.#second;
    this.#roll({ ...target });
  }

  /** By a tool that replaces the whole object, or only its annotations. */
  stripLedger(): void {
    if (this.#current.ledger === undefined) return;
    this.#current.ledger = undefined;
    this.#version += 1;
  }

  optIn(): void {
    // After a crash the order of the two within one second would be unknown, and the operator would reload.
    this.tick(1);
    this.#asks = true;
    this.#askedAt = this.#second;
    this.#version += 1;
  }

  crash(): void {
    this.#memory = undefined;
    this.#past.clear();
    this.#unseen = undefined;
  }

  /** The operator runs a pass before the event of its own last write arrived. The server refuses its writes then. */
  passUnseen(): Decision | undefined {
    const workload = this.#unseen;
    if (!workload || !this.#memory) return undefined;
    const decision = decide(this.#inputFor(workload));
    this.#memory = remember(this.#memory, workload, decision, this.#now);
    return decision;
  }

  finishRollout(): void {
    if (!this.#rolling) return;
    this.#rolling = false;
    const [first] = this.#pods;
    this.#pods = [...(first ? [first] : []), this.#newPod()];
  }

  /**
   * `unstored`: the operator crashes before its note is stored. `refused`: another client wrote first, so the server
   * refuses each PATCH of this pass.
   */
  pass({
    defer = false,
    long = false,
    crashAfterWrite = false,
    unstored = false,
    refused = false,
  }): Decision {
    const workload = this.#workload();
    const stored = this.#note;
    // An operator that saw this state does not see an earlier one any more.
    this.#unseen = undefined;
    const input = this.#inputFor(workload);
    let decision = decide(input);
    if (decision.action === 'ask-pods') {
      if (decision.waitForRollout && this.#rolling) return decision;
      decision = decide({ ...input, pods: { readSince: this.#pods.map((pod) => pod.createdAt) } });
    }
    if (decision.action === 'ask-pods') return decision;
    this.#memory = remember(this.#memory, workload, decision, this.#now);
    this.#carryOut(decision, { defer, long, refused });
    if (unstored) this.#note = stored;
    if (crashAfterWrite || unstored) this.crash();
    return decision;
  }

  /** Runs passes until nothing is left to do; undefined if that does not end. */
  settle(): Decision | undefined {
    for (let round = 0; round < 12; round += 1) {
      this.tick(30);
      this.finishRollout();
      const decision = this.pass({});
      if (decision.action === 'nothing') return decision;
    }
    return undefined;
  }

  /** Names of the sources of which a pod that stays holds an older content. */
  outdated(): string[] {
    const staying = this.#rolling ? this.#pods.slice(0, 1) : this.#pods;
    return [...this.#sources]
      .filter(([name, { text }]) => staying.some(({ holds }) => holds.get(name) !== text))
      .map(([name]) => name);
  }

  #carryOut(verdict: Verdict, { defer = false, long = false, refused = false }): void {
    const { action, record, recordUrgent, reload, differences } = verdict;
    if (action === 'record' && record) this.#takeNote(record, verdict.base);
    if (action !== 'reload' || !reload) return;
    if (defer) {
      if (record && (recordUrgent || long)) this.#takeNote(record, verdict.base);
      return;
    }
    if (refused) return;
    const findings = differences.filter((difference) => difference.reload).map(({ finding }) => finding);
    this.reloads.push({ needed: this.outdated().length > 0, findings });
    const { template } = this.#current;
    this.#unseen = this.#workload();
    const ledger = formatLedger(reload.ledger);
    this.#roll({ template, mark: reload.mark, ledger });
    this.#memory = this.#memory && afterPatch(this.#memory, reload.ledger, baseOf(ledger));
    this.#note = { record: reload.ledger, base: baseOf(ledger) };
  }

  #takeNote(record: Ledger, base: string): void {
    this.#memory = this.#memory && afterNote(this.#memory, record, base);
    this.#note = { record, base };
  }

  #inputFor(workload: WorkloadFacts): NotedInput {
    return inputWith({
      workload,
      note: this.#note,
      want: wantFor(this.#wanted()),
      memory: this.#memory ?? emptyMemory(workload.metadata.uid),
      install: { at: this.#installedAt, keyId: 'key1' },
      now: this.#now,
    });
  }

  get #second(): number {
    return Math.floor(this.#now / 1000);
  }

  get #current(): Revision {
    const current = this.#revisions.at(-1);
    if (!current) throw new Error('a workload always has a template');
    return current;
  }

  #put(name: string, text: string): void {
    const known = this.#sources.get(name);
    if (known) this.#before.set(name, known.text);
    if (known && this.#memory) this.#see(name, known);
    this.#sources.set(name, { text, createdAt: known?.createdAt ?? this.#second, writtenAt: this.#second });
  }

  #see(name: string, { text, writtenAt }: Content): void {
    const past = this.#past.get(name) ?? [];
    const last = past.at(-1);
    const content = { digest: digestOf(text), keyDigests: '', until: this.#second };
    past.push(last ? { ...content, from: last.until } : { ...content, from: writtenAt, first: true });
    this.#past.set(name, past);
  }

  #roll(revision: Revision): void {
    this.finishRollout();
    this.#version += 1;
    this.#revisions.push(revision);
    const [, second] = this.#pods;
    this.#pods = [this.#newPod(), ...(second ? [second] : [])];
    this.#rolling = true;
  }

  #newPod(): Pod {
    const holds = new Map([...this.#sources].map(([name, { text }]) => [name, text]));
    return { createdAt: this.#second, holds };
  }

  #wanted(): WantedSource[] {
    if (!this.#asks) return [];
    const names = new Set([...this.#sources.keys(), ...this.#before.keys()]);
    return [...names].map((name) => {
      const content = this.#sources.get(name);
      if (!content) return gone(name);
      const { text, createdAt, writtenAt } = content;
      return present(name, text, { facts: { createdAt, writtenAt, past: this.#past.get(name) ?? [] } });
    });
  }

  #workload(): WorkloadFacts {
    const { template, mark, ledger } = this.#current;
    const facts = workloadFacts({
      createdAt: CREATED_AT,
      annotatedAt: this.#askedAt,
      templateDigest: template,
      templateWrittenAt: this.#templateWrittenAt,
      annotations: ledger === undefined ? {} : { [FIXED_ANNOTATIONS.ledger]: ledger },
      templateAnnotations: mark === undefined ? {} : { [FIXED_ANNOTATIONS.rolled]: mark },
    });
    return { ...facts, metadata: { ...facts.metadata, resourceVersion: String(this.#version) } };
  }
}
