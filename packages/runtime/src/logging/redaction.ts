/**
 * Redacts credentials in log lines in two ways: by the name of a value, and by registered values wherever they occur
 * (in a message, in an error, inside a longer string).
 *
 * It does not find a secret that is neither registered nor under a known name.
 */
export const REDACTED = '[redacted]';

/** Shorter values occur in ordinary words; replacing those would garble lines and protect nothing. */
const SHORTEST_VALUE = 6;

const MOST_KNOWN = 500;
const LONGEST_KNOWN = 100;

/** Compared without case, dashes, dots and underscores. */
const SENSITIVE_NAMES = [
  'accesskey',
  'apikey',
  'authorization',
  'bearer',
  'clientkeydata',
  'clientsecret',
  'cookie',
  'credential',
  'credentials',
  'lastappliedconfiguration',
  'passphrase',
  'passwd',
  'password',
  'privatekey',
  'secretkey',
  'stringdata',
  'token',
] as const;

/** Options of the redaction. */
export interface RedactionOptions {
  /** More names whose values are redacted; a name also matches at the end of a longer one (`token` in `idToken`). */
  readonly names?: readonly string[] | undefined;
}

/** Removes secrets from values before they are logged. */
export class Redaction {
  readonly #names: readonly string[];
  readonly #values = new Set<string>();
  /** Names of values are few and repeat with every line. */
  readonly #known = new Map<string, boolean>();

  constructor(options: RedactionOptions = {}) {
    this.#names = [...SENSITIVE_NAMES, ...(options.names ?? []).map(normalise)];
  }

  /** Redacts this value wherever it occurs, plain or in base64. Returns a function that ends it. */
  addValue(value: string): () => void {
    if (value.length < SHORTEST_VALUE) return () => undefined;
    const forms = [value, Buffer.from(value).toString('base64')];
    for (const form of forms) this.#values.add(form);
    return () => {
      for (const form of forms) this.#values.delete(form);
    };
  }

  isSensitiveName(name: string): boolean {
    const known = this.#known.get(name);
    if (known !== undefined) return known;
    const plain = normalise(name);
    const isSensitive = this.#names.some((sensitive) => plain.endsWith(sensitive));
    if (name.length <= LONGEST_KNOWN && this.#known.size < MOST_KNOWN) this.#known.set(name, isSensitive);
    return isSensitive;
  }

  /** The text without registered values. */
  clean(text: string): string {
    let result = text;
    for (const value of this.#values) {
      if (result.includes(value)) result = result.replaceAll(value, REDACTED);
    }
    return result;
  }
}

function normalise(name: string): string {
  return name.toLowerCase().replace(/[-_.\s]/g, '');
}
