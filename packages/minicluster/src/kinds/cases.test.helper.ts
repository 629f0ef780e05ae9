/**
 * Cases: bodies that are sent to a server, and the compared parts of the answers. They run on anything that answers
 * like an API server: a real one, the kinds alone, and the whole minicluster.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import type { KubeObject } from '../model/object.ts';
import type { Kind } from './kind.ts';
import { KindRegistry } from './registry.ts';

type Json = Record<string, unknown>;

export interface Case {
  readonly file: string;
  readonly name: string;
  readonly create: Json;
  /** The kind's CustomResourceDefinition; it stays for further cases. */
  readonly crd?: Json;
  /** A merge patch on the created object, which is then PUT. */
  readonly change?: Json;
  /** The PUT goes to `/status`. */
  readonly status?: boolean;
  /** Put to `/status` before the table is requested. */
  readonly state?: Json;
  /** Compares the row of `kubectl get` instead of the objects. */
  readonly table?: boolean;
  /** Messages of causes are not compared. */
  readonly loose?: boolean;
  readonly ignoreWarnings?: boolean;
  /** Paths (`metadata.finalizers`) that are not compared. */
  readonly ignore?: readonly string[];
}

export interface Answer {
  readonly code: number;
  readonly body: Json;
  readonly warnings: readonly string[];
}

/** One request to the server under test. */
export type Send = (method: 'GET' | 'POST' | 'PUT' | 'DELETE', path: string, body?: Json) => Promise<Answer>;

/** The Accept header of all GETs. */
export const TABLE_TYPE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** The compared result: an object without values that differ between runs, or an error. */
export interface Outcome {
  readonly code: number;
  readonly object?: Json;
  readonly reason?: string;
  readonly causes?: readonly { reason: string; field: string; message?: string }[];
  readonly message?: string;
  readonly warnings?: readonly string[];
}

const folder = new URL('../../testdata/kinds/', import.meta.url);
const registry = new KindRegistry();

export function loadCases(): Case[] {
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .sort()
    .flatMap((file) => {
      const cases = parse(readFileSync(new URL(file, folder), 'utf8'), {
        merge: true,
        maxAliasCount: -1,
      }) as Omit<Case, 'file'>[];
      return cases.map((entry) => ({ ...entry, file }));
    });
}

export const recordFile = new URL('recorded.generated.json', folder);

export const loadRecord = (): Record<string, Outcome[]> =>
  JSON.parse(readFileSync(recordFile, 'utf8')) as Record<string, Outcome[]>;

export function kindOf(body: Json): Kind {
  const kind = registry.byKind(String(body.apiVersion), String(body.kind));
  if (!kind) throw new Error(`no kind ${String(body.apiVersion)} ${String(body.kind)}`);
  return kind;
}

function pathOf(kind: Kind, namespace: string): string {
  const root = kind.group ? `/apis/${kind.group}/${kind.version}` : `/api/${kind.version}`;
  return `${root}${kind.namespaced ? `/namespaces/${namespace}` : ''}/${kind.plural}`;
}

const ESTABLISHED = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }));
const CRDS = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** Registers the kind here and on the server; a server needs a moment until it serves it. */
async function defineKind(entry: Case, send: Send, namespace: string): Promise<void> {
  const crd = { ...entry.crd, status: { conditions: ESTABLISHED } } as unknown as KubeObject;
  registry.setCrd(crd);
  const { code, body } = await send('POST', CRDS, entry.crd);
  if (code !== 201 && code !== 409) throw new Error(`the definition was refused: ${JSON.stringify(body)}`);
  const path = pathOf(kindOf(entry.create), namespace);
  for (let attempt = 0; code === 201 && attempt < 100; attempt++) {
    if ((await send('GET', `${path}?limit=1`)).code === 200) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Shown as an age, which must be the same on every day: 6 years of 365 days, 320 days, and a part of a day. */
function yearsAgo(): string {
  return new Date(Date.now() - ((6 * 365 + 320) * 24 + 1) * 3_600_000).toISOString();
}

/** Creates, changes and deletes. The outcome of the last executed step comes last. */
export async function runCase(entry: Case, send: Send, namespace: string): Promise<Outcome[]> {
  const fill = (value: Json): Json =>
    JSON.parse(
      JSON.stringify(value).replaceAll('$NAMESPACE', namespace).replaceAll('$YEARS_AGO', yearsAgo()),
    ) as Json;
  if (entry.crd) await defineKind(entry, send, namespace);
  const kind = kindOf(entry.create);
  const path = pathOf(kind, namespace);
  const created = await send('POST', path, fill(entry.create));
  const outcomes = [outcomeOf(created, entry, namespace)];
  if (created.code >= 300) return outcomes;
  const name = (created.body.metadata as { name: string }).name;
  const item = `${path}/${encodeURIComponent(name)}`;
  if (entry.table) {
    if (entry.state) await send('PUT', `${item}/status`, { ...created.body, status: entry.state });
    outcomes.splice(0, 1, tableOf(await send('GET', `${item}?includeObject=None`)));
  }
  if (entry.change) {
    const changed = mergePatch(created.body, fill(entry.change)) as Json;
    const answer = await send('PUT', `${item}${entry.status ? '/status' : ''}`, changed);
    outcomes.push(outcomeOf(answer, entry, namespace));
  }
  await send('DELETE', item, {
    kind: 'DeleteOptions',
    apiVersion: 'v1',
    gracePeriodSeconds: 0,
    propagationPolicy: 'Background',
  });
  return outcomes;
}

function mergePatch(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const base = typeof target === 'object' && target !== null && !Array.isArray(target) ? target : {};
  const result: Json = { ...base };
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
}

/** Columns without their descriptions, cells without time-dependent parts. */
function tableOf({ code, body }: Answer): Outcome {
  const columns = (body.columnDefinitions ?? []) as { name: string; description: string }[];
  const rows = (body.rows ?? []) as { cells: unknown[] }[];
  const shown = rows.map((row) => ({
    ...row,
    object: undefined,
    cells: row.cells.map((cell, index) =>
      AGES.includes(columns[index]?.name ?? '') ? '<age>' : timeless(cell),
    ),
  }));
  const object = { columns: columns.map((column) => ({ ...column, description: undefined })), rows: shown };
  return { code, object: JSON.parse(JSON.stringify(object)) as Json };
}

const AGES = ['Age', 'Created At', 'Last Seen', 'First Seen'];

const timeless = (cell: unknown): unknown =>
  typeof cell === 'string' ? cell.replace(/\(\w+ ago\)/, '(<age> ago)') : cell;

export function outcomeOf(answer: Answer, entry: Case, namespace: string): Outcome {
  const warnings = entry.ignoreWarnings ? [] : answer.warnings;
  const common = { code: answer.code, ...(warnings.length > 0 && { warnings }) };
  if (answer.code < 300) return { ...common, object: normalize(answer.body, entry, namespace) };
  const details = answer.body.details as
    | { causes?: { reason: string; field: string; message: string }[] }
    | undefined;
  const hide = (text: string): string => hidden(text, namespace);
  const causes = (details?.causes ?? [])
    .map(({ reason, field, message }) => ({
      reason,
      field,
      ...(!entry.loose && { message: hide(message) }),
    }))
    .sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
  return {
    ...common,
    reason: String(answer.body.reason),
    ...(causes.length > 0 ? { causes } : { message: hide(String(answer.body.message)) }),
  };
}

const UID = /[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g;

/** Replaces values that differ between runs. */
function hidden(text: string, namespace: string): string {
  return text
    .replace(UID, '<uid>')
    .replaceAll(namespace, '<namespace>')
    .replace(/kube-api-access-[a-z0-9]{5}/g, 'kube-api-access-<suffix>')
    .replace(/\b10\.0\.0\.\d{2,3}\b/g, '<address>')
    .replace(/"nodePort":3\d{4}/g, '"nodePort":"<port>"')
    .replace(/("last\w*TransitionTime":)"[^"]+"/g, '$1"<time>"');
}

function normalize(object: Json, entry: Case, namespace: string): Json {
  const metadata: Json = { ...(object.metadata as Json) };
  for (const field of ['uid', 'resourceVersion', 'creationTimestamp', 'managedFields'])
    delete metadata[field];
  const copy = JSON.parse(hidden(JSON.stringify({ ...object, metadata }), namespace)) as Json;
  for (const path of entry.ignore ?? []) {
    const [top = '', field = ''] = path.split('.');
    delete (copy[top] as Json | undefined)?.[field];
  }
  return copy;
}
