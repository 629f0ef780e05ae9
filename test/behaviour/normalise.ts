/**
 * Removes values that differ between two runs of the same server: identities, times, versions, addresses. Equal
 * values stay equal (the second uid is `<uid-2>` wherever it occurs), so relations are compared.
 */
const UID = /\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b/g;
const TIME = /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z/g;
/** A version inside an object that a message quotes. */
const QUOTED_VERSION = /(resourceVersion\\?"+:\\?")\d+/g;
/** A version inside a message. */
const TOLD_VERSION = /(current: |in record \()\d+/g;
/** A whole object in a message, printed as a Go struct: only the text around it is compared. */
const PRINTED_OBJECT = /(Invalid value: )(?:"\{.*\}"|\[?\{.*\}\]?)(: )/g;
const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** An age in a table's cell. */
const AGE = /^\d+s$/;
const ADDRESS = /^10\.\d+\.\d+\.\d+$/;

export class Normaliser {
  readonly #namespace: string;
  readonly #uids = new Map<string, string>();
  readonly #generated = new Map<string, string>();

  constructor(namespace: string) {
    this.#namespace = namespace;
  }

  apply(value: unknown): unknown {
    return this.#value(value, '');
  }

  #value(value: unknown, key: string): unknown {
    if (Array.isArray(value)) return value.map((item) => this.#value(item, key));
    if (value !== null && typeof value === 'object') return this.#object(value as Record<string, unknown>);
    if (typeof value === 'number' && key === 'remainingItemCount') return value;
    return typeof value === 'string' ? this.#text(value, key) : value;
  }

  #object(object: Record<string, unknown>): Record<string, unknown> {
    const { generateName, name } = object as { generateName?: string; name?: string };
    if (generateName && name?.startsWith(generateName)) {
      this.#generated.set(name, `${generateName}<generated-${this.#generated.size + 1}>`);
    }
    // Sorted by name, so that the first uid is the same one whatever order a server writes.
    const entries = Object.entries(object).sort(([a], [b]) => (a < b ? -1 : 1));
    // Column descriptions are prose; minicluster has none.
    const kept =
      'format' in object && 'priority' in object ? entries.filter(([key]) => key !== 'description') : entries;
    return Object.fromEntries(kept.map(([key, value]) => [this.#text(key, ''), this.#value(value, key)]));
  }

  #text(text: string, key: string): string {
    if (key === 'resourceVersion') return text === '' || text === '0' ? text : '<version>';
    if (key === 'continue') return text === '' ? '' : '<continue>';
    if (key === 'cells' && AGE.test(text)) return '<age>';
    if (key === 'storageVersionHash') return '<hash>';
    if (ADDRESS.test(text)) return '<address>';
    let result = text
      .replaceAll(this.#namespace, '{ns}')
      .replace(UID, (uid) => this.#uid(uid))
      .replace(TIME, '<time>')
      .replace(QUOTED_VERSION, '$1<version>')
      .replace(TOLD_VERSION, '$1<version>')
      .replace(PRINTED_OBJECT, '$1<object>$2')
      .replace(CERTIFICATE, '<certificate>');
    for (const [name, stand] of this.#generated) result = result.replaceAll(name, stand);
    return result;
  }

  #uid(uid: string): string {
    const known = this.#uids.get(uid) ?? `<uid-${this.#uids.size + 1}>`;
    this.#uids.set(uid, known);
    return known;
  }
}
