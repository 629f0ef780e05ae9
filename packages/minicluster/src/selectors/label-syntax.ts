/** Syntax of label keys and values, with the server's messages. */
const NAME = /^([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]$/;
const SUBDOMAIN = /^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;

const NAME_RULE =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric " +
  "character (e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is " +
  "'([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]')";
const VALUE_RULE =
  "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must " +
  "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used " +
  "for validation is '(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?')";
const SUBDOMAIN_RULE =
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must " +
  "start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is " +
  "'[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*')";

function keyProblems(key: string): string[] {
  const parts = key.split('/');
  if (parts.length > 2) {
    return [
      `a qualified name ${NAME_RULE} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const problems: string[] = [];
  const [first = '', second] = parts;
  const name = second ?? first;
  if (second !== undefined) {
    if (first === '') problems.push('prefix part must be non-empty');
    else if (first.length > 253) problems.push('prefix part must be no more than 253 bytes');
    else if (!SUBDOMAIN.test(first)) problems.push(`prefix part ${SUBDOMAIN_RULE}`);
  }
  if (name === '') problems.push('name part must be non-empty');
  else if (name.length > 63) problems.push('name part must be no more than 63 bytes');
  if (!NAME.test(name)) problems.push(`name part ${NAME_RULE}`);
  return problems;
}

export function labelKeyProblem(key: string): string | undefined {
  const problems = keyProblems(key);
  return problems.length > 0 ? `Invalid value: ${JSON.stringify(key)}: ${problems.join('; ')}` : undefined;
}

export function labelValueProblem(value: string): string | undefined {
  const problems: string[] = [];
  if (value.length > 63) problems.push('must be no more than 63 bytes');
  if (value !== '' && !NAME.test(value)) problems.push(VALUE_RULE);
  return problems.length > 0 ? `Invalid value: ${JSON.stringify(value)}: ${problems.join('; ')}` : undefined;
}
