/**
 * Reads manifests from files: YAML with any number of documents, or JSON; Lists are split into their items.
 *
 * In: texts. Out: objects that know the line of each of their fields, and findings for texts that cannot be parsed.
 * Documents that are not Kubernetes objects (values files, for example) are skipped.
 */
import { type Document, isMap, isNode, LineCounter, parseAllDocuments } from 'yaml';
import type { Finding } from './finding.ts';

export type Json = Readonly<Record<string, unknown>>;

export interface Manifest {
  readonly file: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Empty if the manifest names none. */
  readonly namespace: string;
  readonly object: Json;
  /** Line of a field; of its nearest existing parent if the field is absent. */
  line(path: readonly (string | number)[]): number;
}

export function readManifests(file: string, text: string): { manifests: Manifest[]; findings: Finding[] } {
  const manifests: Manifest[] = [];
  const findings: Finding[] = [];
  if (text.includes('\0')) {
    const message = 'cannot be read: holds NUL characters, as binary files and UTF-16 do: save it as UTF-8';
    return { manifests, findings: [{ file, line: 1, object: '', field: '', rule: 'unreadable', message }] };
  }
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, uniqueKeys: true, logLevel: 'silent' });
  if (!Array.isArray(documents)) return { manifests, findings };
  for (const document of documents) {
    const [error] = document.errors;
    if (error) {
      const line = lines.linePos(error.pos[0]).line;
      const message = `cannot be read: ${error.message.split('\n')[0]}`;
      findings.push({ file, line, object: '', field: '', rule: 'unreadable', message });
      continue;
    }
    manifests.push(...manifestsIn(file, document, lines));
  }
  return { manifests, findings };
}

function manifestsIn(file: string, document: Document, lines: LineCounter): Manifest[] {
  const root: unknown = document.toJS();
  const found: Manifest[] = [];
  const add = (object: unknown, base: readonly (string | number)[]): void => {
    if (!isJson(object) || typeof object.kind !== 'string' || typeof object.apiVersion !== 'string') return;
    if (object.kind.endsWith('List') && Array.isArray(object.items)) {
      object.items.forEach((item, index) => void add(item, [...base, 'items', index]));
      return;
    }
    const metadata = isJson(object.metadata) ? object.metadata : {};
    found.push({
      file,
      apiVersion: object.apiVersion,
      kind: object.kind,
      name: text(metadata.name) || text(metadata.generateName),
      namespace: text(metadata.namespace),
      object,
      line: (path) => lineOf(document, [...base, ...path], lines),
    });
  };
  add(root, []);
  return found;
}

function lineOf(document: Document, path: readonly (string | number)[], lines: LineCounter): number {
  for (let length = path.length; length > 0; length--) {
    const parent = length === 1 ? document.contents : document.getIn(path.slice(0, length - 1), true);
    const last = path[length - 1];
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isNode(key) && key.toJSON() === last);
      const key = pair?.key;
      if (isNode(key) && key.range) return lines.linePos(key.range[0]).line;
    }
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return lines.linePos(node.range[0]).line;
  }
  const { contents } = document;
  return isNode(contents) && contents.range ? lines.linePos(contents.range[0]).line : 0;
}

export function isJson(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
