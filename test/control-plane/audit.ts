/**
 * The API server's own record of every request it answered, and as whom.
 *
 * In: the audit log file, and a function that sends a marked request. Out: one entry per request, in the order in
 * which the server wrote them. A watch has one entry, from its start.
 *
 * Guarantees that `since`, `count` and `mark` see every request that was answered before they were called: they
 * send a marked request of their own and read until it shows up (the server writes its log before it ends an
 * answer). Marks themselves are left out. Requests cut off by a kill of the server may have no entry.
 */
import { randomUUID } from 'node:crypto';
import { type FileHandle, open } from 'node:fs/promises';
import { poll } from './poll.ts';

export interface AuditEntry {
  readonly verb: string;
  readonly user: string;
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  readonly namespace: string;
  readonly name: string;
  readonly code: number;
  readonly userAgent: string;
  readonly requestURI: string;
  /** When the server received the request, in milliseconds since 1970. */
  readonly received: number;
  /** The body, where the audit level is `Request` or `RequestResponse`. */
  readonly requestObject?: unknown;
}

/** Entries match if they equal every given field; `where` is an additional predicate. */
export type AuditFilter = Partial<Omit<AuditEntry, 'requestObject'>> & {
  readonly where?: (entry: AuditEntry) => boolean;
};

/** A position in the log. */
export type AuditMark = number;

export const auditMarkPath = '/version?control-plane-audit-mark=';

export interface AuditLogOptions {
  readonly path: string;
  /** Sends a GET request for a path and resolves when it was answered. */
  readonly request: (path: string) => Promise<unknown>;
}

export class AuditLog {
  readonly #options: AuditLogOptions;
  readonly #parser = new AuditParser();
  #file: FileHandle | undefined;
  #offset = 0;
  #reading: Promise<void> = Promise.resolve();

  constructor(options: AuditLogOptions) {
    this.#options = options;
  }

  /** A position after all requests answered so far. */
  async mark(signal?: AbortSignal): Promise<AuditMark> {
    await this.#catchUp(signal);
    return this.#parser.entries.length;
  }

  /** The requests answered after `mark`, or all. */
  async since(mark: AuditMark = 0, filter: AuditFilter = {}, signal?: AbortSignal): Promise<AuditEntry[]> {
    await this.#catchUp(signal);
    return this.#parser.entries.slice(mark).filter((entry) => matches(entry, filter));
  }

  async count(filter: AuditFilter, mark: AuditMark = 0, signal?: AbortSignal): Promise<number> {
    return (await this.since(mark, filter, signal)).length;
  }

  async close(): Promise<void> {
    await this.#reading.catch(() => {});
    await this.#file?.close();
    this.#file = undefined;
  }

  async #catchUp(signal?: AbortSignal): Promise<void> {
    const path = `${auditMarkPath}${randomUUID()}`;
    await this.#options.request(path);
    await poll(
      async () => {
        await this.#readOn();
        return this.#parser.takeMark(path);
      },
      { what: `the audit log ${this.#options.path} to show a marked request`, timeout: 10_000, every: 5 },
      signal,
    );
  }

  /** One read at a time: concurrent callers must not parse the same bytes twice. */
  #readOn(): Promise<void> {
    const next = this.#reading.catch(() => {}).then(() => this.#read());
    this.#reading = next;
    return next;
  }

  async #read(): Promise<void> {
    this.#file ??= await open(this.#options.path, 'r');
    const chunk = Buffer.allocUnsafe(1 << 20);
    while (true) {
      const { bytesRead } = await this.#file.read(chunk, 0, chunk.length, this.#offset);
      if (bytesRead === 0) return;
      this.#offset += bytesRead;
      this.#parser.push(chunk.subarray(0, bytesRead));
    }
  }
}

/** Parses the bytes of an audit log, in chunks of any size, into entries. */
export class AuditParser {
  readonly entries: AuditEntry[] = [];
  readonly #marks = new Set<string>();
  readonly #started = new Set<string>();
  #rest: Buffer = Buffer.alloc(0);

  push(bytes: Uint8Array): void {
    let text = this.#rest.length === 0 ? Buffer.from(bytes) : Buffer.concat([this.#rest, bytes]);
    for (let end = text.indexOf(0x0a); end >= 0; end = text.indexOf(0x0a)) {
      this.#line(text.toString('utf8', 0, end));
      text = text.subarray(end + 1);
    }
    this.#rest = Buffer.from(text);
  }

  /** Whether the marked request was found; true only once. */
  takeMark(path: string): boolean {
    return this.#marks.delete(path);
  }

  #line(line: string): void {
    const event = parseEvent(line);
    if (event === undefined) return;
    // Only long-running requests have a ResponseStarted stage, and then it is their entry.
    if (event.stage === 'ResponseStarted') this.#started.add(event.auditID);
    else if (this.#started.delete(event.auditID)) return;
    if (event.entry.requestURI.startsWith(auditMarkPath)) this.#marks.add(event.entry.requestURI);
    else this.entries.push(event.entry);
  }
}

interface AuditEvent {
  readonly stage: string;
  readonly auditID: string;
  readonly entry: AuditEntry;
}

/** Undefined for an empty line and for one cut off by a kill of the server. */
export function parseEvent(line: string): AuditEvent | undefined {
  const event = parseObject(line);
  if (event === undefined) return undefined;
  const reference = object(event.objectRef);
  return {
    stage: string(event.stage),
    auditID: string(event.auditID),
    entry: {
      verb: string(event.verb),
      user: string(object(event.user).username),
      group: string(reference.apiGroup),
      resource: string(reference.resource),
      subresource: string(reference.subresource),
      namespace: string(reference.namespace),
      name: string(reference.name),
      code: Number(object(event.responseStatus).code ?? 0),
      userAgent: string(event.userAgent),
      requestURI: string(event.requestURI),
      received: Date.parse(string(event.requestReceivedTimestamp)),
      ...(event.requestObject === undefined ? {} : { requestObject: event.requestObject }),
    },
  };
}

export function matches(entry: AuditEntry, { where, ...fields }: AuditFilter): boolean {
  const equal = Object.entries(fields).every(
    ([key, value]) => value === undefined || entry[key as keyof typeof fields] === value,
  );
  return equal && (where?.(entry) ?? true);
}

/** One line per request, at the start of an answer that goes on (a watch), else at its end. */
export function auditPolicyText(level: string): string {
  const policy = {
    apiVersion: 'audit.k8s.io/v1',
    kind: 'Policy',
    omitStages: ['RequestReceived'],
    omitManagedFields: true,
    rules: [{ level }],
  };
  return `${JSON.stringify(policy)}\n`;
}

function parseObject(line: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
}

function object(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function string(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
