/** Conditions in CEL that tenants write. */
import { conditionProblem, readCondition } from '../../../packages/operator/src/reloader/conditions/read.ts';
import { must, type Target } from '../target.ts';

const DATA = {
  source: {
    kind: 'Secret',
    namespace: 'shop',
    name: `${'a'.repeat(60)}b`,
    labels: { env: 'prod', tier: 'web' },
    keys: Array.from({ length: 200 }, (_, index) => `key-${index}`),
  },
  workload: { kind: 'Deployment', namespace: 'shop', name: 'web', labels: {}, replicas: 3, available: 2 },
};

export const expressions: Target = {
  name: 'expressions',
  code: ['operator/src/expressions/', 'reloader/conditions/', 'cel-js'],
  longest: 1_100,
  words: [
    ...[
      'source.',
      'workload.',
      'source.labels',
      'source.keys',
      'workload.replicas',
      'source.name',
      ' in ',
      ' == ',
    ],
    ...[
      '.all(k, ',
      '.exists(k, ',
      '.map(k, ',
      '.filter(k, ',
      '.matches("',
      '.startsWith("',
      '.size()',
      'has(',
      'size(',
    ],
    ...[
      '&&',
      '||',
      '!',
      '?',
      ':',
      '(',
      ')',
      '[',
      ']',
      '{',
      '}',
      '"a"',
      "'b'",
      'b"x"',
      'r"\\d"',
      '1u',
      '1.5',
      '-1',
      '% 0',
    ],
    ...[
      'true',
      'false',
      'null',
      'int(',
      'string(',
      'timestamp("',
      'duration("1h")',
      'type(',
      '"(a+)+$"',
      'dyn(',
    ],
  ],
  seeds: [
    "source.labels['env'] == 'prod'",
    "'tier' in workload.labels && workload.labels['tier'] != 'frozen'",
    "source.keys.exists(k, k.startsWith('key-1'))",
    "source.name.matches('^a+b$') || size(source.keys) > 3",
    'workload.available >= workload.replicas - 1 ? true : false',
    "source.keys.filter(k, k != 'x').map(k, k + 'y').all(k, has(source.labels.env))",
  ],
  run(input) {
    const problem = conditionProblem(input);
    const read = readCondition(input);
    must('problem' in read === (problem !== undefined), 'it is a condition, and it is none');
    if ('problem' in read) return;
    const verdict = JSON.stringify(read.evaluate(DATA));
    must(verdict === JSON.stringify(read.evaluate(DATA)), 'the second answer is another one');
  },
};
