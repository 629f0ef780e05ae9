/**
 * Syntax of names, keys and values. Each rule returns the errors of a value, in the API server's words; an empty list
 * means that it is valid.
 */
export type Rule = (value: string) => string[];

const bytes = (value: string): number => Buffer.byteLength(value);

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const anchored = (pattern: string): RegExp => new RegExp(`^(?:${pattern})$`);
const label = anchored(LABEL);
const subdomain = anchored(SUBDOMAIN);
const label1035 = anchored(LABEL_1035);
const qualified = anchored(QUALIFIED);
const labelText = anchored(`(${QUALIFIED})?`);

export function regexText(message: string, pattern: string, ...examples: readonly string[]): string {
  const shown = examples.map((example) => `'${example}', `).join(' or ');
  return `${message} (${examples.length > 0 ? `e.g. ${shown}` : ''}regex used for validation is '${pattern}')`;
}

const tooLongBytes = (limit: number): string => `must be no more than ${limit} bytes`;
/** Older messages say characters although they count bytes. */
const tooLongCharacters = (limit: number): string => `must be no more than ${limit} characters`;
export const rangeText = (low: number, high: number): string =>
  `must be between ${low} and ${high}, inclusive`;

export const dnsLabel: Rule = (value) => {
  const reasons: string[] = [];
  if (bytes(value) > 63) reasons.push(tooLongCharacters(63));
  if (!label.test(value)) {
    reasons.push(
      subdomain.test(value)
        ? 'must not contain dots'
        : regexText(
            "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
            LABEL,
            'my-name',
            '123-abc',
          ),
    );
  }
  return reasons;
};

export const dnsSubdomain: Rule = (value) => {
  const reasons: string[] = [];
  if (bytes(value) > 253) reasons.push(tooLongCharacters(253));
  if (!subdomain.test(value)) {
    reasons.push(
      regexText(
        "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
        SUBDOMAIN,
        'example.com',
      ),
    );
  }
  return reasons;
};

export const dns1035Label: Rule = (value) => {
  const reasons: string[] = [];
  if (bytes(value) > 63) reasons.push(tooLongCharacters(63));
  if (!label1035.test(value)) {
    reasons.push(
      regexText(
        "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
        LABEL_1035,
        'my-name',
        'abc-123',
      ),
    );
  }
  return reasons;
};

export const wildcardSubdomain: Rule = (value) => {
  const pattern = `\\*\\.${SUBDOMAIN}`;
  if (anchored(pattern).test(value)) return [];
  return [
    regexText(
      "a wildcard DNS-1123 subdomain must start with '*.', followed by a valid DNS subdomain, which must consist of lower case alphanumeric characters, '-' or '.' and end with an alphanumeric character",
      pattern,
      '*.example.com',
    ),
  ];
};

const QUALIFIED_TEXT =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";

export const qualifiedName: Rule = (value) => {
  const shape = regexText(QUALIFIED_TEXT, QUALIFIED, 'MyName', 'my.name', '123-abc');
  const parts = value.split('/');
  if (parts.length > 2) {
    return [
      `a valid label key ${shape} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const reasons: string[] = [];
  const name = parts[parts.length - 1] ?? '';
  if (parts.length === 2) {
    const prefix = parts[0] ?? '';
    if (prefix === '') reasons.push('prefix part must be non-empty');
    else
      for (const reason of dnsSubdomain(prefix))
        reasons.push(`prefix part ${reason.replace(/ characters$/, ' bytes')}`);
  }
  if (name === '') reasons.push('name part must be non-empty');
  else if (bytes(name) > 63) reasons.push(`name part ${tooLongBytes(63)}`);
  if (!qualified.test(name)) reasons.push(`name part ${shape}`);
  return reasons;
};

export const labelValue: Rule = (value) => {
  const reasons: string[] = [];
  if (bytes(value) > 63) reasons.push(tooLongBytes(63));
  if (!labelText.test(value)) {
    reasons.push(
      regexText(
        "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character",
        `(${QUALIFIED})?`,
        'MyValue',
        'my_value',
        '12345',
      ),
    );
  }
  return reasons;
};

/** Keys of ConfigMaps and Secrets. */
export const dataKey: Rule = (value) => {
  const reasons: string[] = [];
  if (bytes(value) > 253) reasons.push(tooLongCharacters(253));
  if (!/^[-._a-zA-Z0-9]+$/.test(value)) {
    reasons.push(
      regexText(
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.'",
        '[-._a-zA-Z0-9]+',
        'key.name',
        'KEY_NAME',
        'key-name',
      ),
    );
  }
  if (value === '.') reasons.push("must not be '.'");
  else if (value === '..') reasons.push("must not be '..'");
  else if (value.startsWith('..')) reasons.push("must not start with '..'");
  return reasons;
};

export const environmentName: Rule = (value) =>
  /^[\x20-\x3c\x3e-\x7e]*$/.test(value)
    ? []
    : ["a valid environment variable name must consist only of printable ASCII characters other than '='"];

export const portName: Rule = (value) => {
  const reasons: string[] = [];
  if (bytes(value) > 15) reasons.push(tooLongCharacters(15));
  if (!/^[-a-z0-9]+$/.test(value)) {
    reasons.push('must contain only alpha-numeric characters (a-z, 0-9), and hyphens (-)');
  }
  if (!/[a-z]/.test(value)) reasons.push('must contain at least one letter (a-z)');
  if (value.includes('--')) reasons.push('must not contain consecutive hyphens');
  if (value.startsWith('-') || value.endsWith('-')) reasons.push('must not begin or end with a hyphen');
  return reasons;
};

export const httpHeaderName: Rule = (value) =>
  /^[-A-Za-z0-9]+$/.test(value)
    ? []
    : [
        regexText(
          "a valid HTTP header must consist of alphanumeric characters or '-'",
          '[-A-Za-z0-9]+',
          'X-Header-Name',
        ),
      ];

export const percent: Rule = (value) =>
  /^[0-9]+%$/.test(value)
    ? []
    : [
        regexText(
          "a valid percent string must be a numeric string followed by an ending '%'",
          '[0-9]+%',
          '1%',
          '93%',
        ),
      ];

export const portNumber = (value: number): string[] =>
  value >= 1 && value <= 65535 ? [] : [rangeText(1, 65535)];

/** Names of RBAC objects: a path segment, nothing more. */
export const pathSegment: Rule = (value) => {
  if (value === '.' || value === '..') return [`may not be '${value}'`];
  return ['/', '%'].filter((taken) => value.includes(taken)).map((taken) => `may not contain '${taken}'`);
};
