/** Lists of names and regular expressions in annotations, such as `secret.reloader.stakater.com/reload`. */
import { parseNamedList } from '../../../packages/operator/src/reloader/want/named-list.ts';
import { must, type Target } from '../target.ts';

const NAMES = ['db', 'web-1', 'app.config', 'a'.repeat(253), `${'a'.repeat(60)}b`, 'settings-v2', ''];

export const patterns: Target = {
  name: 'patterns',
  code: ['reloader/want/', 'operator/src/expressions/pattern'],
  longest: 4_000,
  words: [
    ...[
      ',',
      '.*',
      '.+',
      '(a+)+',
      '(?:',
      '(?i)',
      '[a-z]',
      '[^',
      '{2,5}',
      '{1000}',
      '\\d',
      '\\b',
      '\\p{L}',
      '|',
      '^',
      '$',
    ],
    ...[
      '(?P<x>',
      '(?<=',
      '(?!',
      '\\1',
      'a{0,100}',
      '(a|aa)+',
      '((((',
      ')*)*)*',
      '\\Q',
      '\\E',
      'web-',
      'app.config',
    ],
  ],
  seeds: [
    'db',
    'db,web-.*',
    'web-[0-9]+,app.config',
    '(a+)+$',
    '.*-tls, db ,,',
    '^(a|b)*c$',
    '(?i)Settings-v\\d',
  ],
  run(input) {
    const list = parseNamedList(input);
    for (const { item, message } of list.problems)
      must(item.length <= 100 && message !== '', 'a bad complaint');
    const steps = list.costOf(NAMES, 100_000);
    must(steps >= 0, 'a cost below nothing');
    let pieces = 0;
    for (const _ of list.learn(NAMES)) pieces += 1;
    must(pieces < 100_000, 'it does not end');
    for (const name of NAMES) {
      const known = list.known(name);
      must(
        known === undefined || known === list.matches(name),
        `what is known of ${name} is not what matches`,
      );
    }
    for (const name of list.names) must(list.matches(name), `the name ${name} does not match its own list`);
  },
};
