/** Requirements on the content of watched sources before it is rolled out. */
import { choice, duration, list, object, objectName, text, typed } from '../json-schema.ts';

const MOST_RULES = 16;
const MOST_KEYS = 64;
/** The keys that Kubernetes allows in the data of a Secret or ConfigMap. */
const KEY = '^[-._a-zA-Z0-9]+$';

const key = (description: string) => text(description, { minLength: 1, maxLength: 253, pattern: KEY });

const entry = object(
  'One rule.',
  {
    source: object(
      'The one that it is about; all that this object watches unless given.',
      {
        kind: choice('Its kind.', 'ConfigMap', 'Secret'),
        name: objectName('Its name.'),
      },
      { required: ['kind', 'name'] },
    ),
    requiredKeys: list('Keys that have to be there.', MOST_KEYS, key('A key of the data.')),
    key: key(
      'The key that the rest is about. Without it the rest is not asked: requiredKeys says what must exist.',
    ),
    format: choice(
      'What its value has to be. Of `pem`, certificates have to be readable and not expired. Text has to be UTF-8 without ' +
        'NUL and byte order mark, keys must not be repeated, and nothing may be nested more than 64 levels deep.',
      'yaml',
      'json',
      'properties',
      'pem',
    ),
    expiresIn: duration(
      'With `pem`: certificates have to be valid for at least this long when they are rolled out, such as `168h`.',
    ),
    rule: text(
      'CEL that has to be true of the parsed value `self`: `self.workers >= 1 && self.workers <= 64`. Of several documents ' +
        'of YAML it has to be true of each.',
      { minLength: 1, maxLength: 1024 },
    ),
    schema: typed<Record<string, unknown>>({
      description:
        'JSON Schema that the parsed value has to fit, at most 16 KiB: type, enum, const, properties, required, ' +
        'additionalProperties, items, the limits of numbers, texts, lists and objects, pattern (RE2), uniqueItems, allOf, ' +
        'anyOf, oneOf and not. Other keywords are refused.',
      type: 'object',
      'x-kubernetes-preserve-unknown-fields': true,
    }),
    message: text('Told together with what is wrong: write what to do.', { minLength: 1, maxLength: 256 }),
  },
  {
    'x-kubernetes-validations': [
      {
        rule: 'has(self.requiredKeys) || has(self.format)',
        message: 'an entry needs requiredKeys or format: without them nothing is checked',
      },
      { rule: '!has(self.format) || has(self.key)', message: 'format needs the key whose value it is about' },
      {
        rule: "!(has(self.rule) || has(self.schema)) || (has(self.format) && self.format != 'pem')",
        message: 'rule and schema need format: yaml, json or properties',
      },
      {
        rule: "!has(self.expiresIn) || (has(self.format) && self.format == 'pem')",
        message: 'expiresIn needs format: pem',
      },
    ],
  },
);

export const validate = list(
  'What changed content has to be before it is rolled out. A change that breaks a rule is held (condition InvalidChange) ' +
    'until the content is put right, whatever anybody approves; what pods have mounted changes all the same. Annotations ' +
    '`reloader.stakater.com/required-keys` and `reloader.stakater.com/format` on the Secret or ConfigMap count, too.',
  MOST_RULES,
  entry,
);
