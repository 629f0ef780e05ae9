/** The attacks are complete: as many inputs as the docs claim, and every attack is played. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { ROOT, read } from '../docs/blocks.ts';
import { ATTACKS } from './attacks/index.ts';
import { NETWORK_ATTACKS } from './attacks/network.ts';
import { HOSTILE_PATTERNS } from './hostile-patterns.ts';
import { HOSTILE_TEMPLATES } from './hostile-templates.ts';

const FOLDER = join(ROOT, 'test/hostile/attacks');
/** Files that are tools of attacks, or lists of them. */
const TOOLS = ['index.ts', 'network.ts', 'kubelet-probes.ts', 'raw-client.ts'];

test('there are at least 50 templates and 200 expressions, all different', () => {
  expect(new Set(HOSTILE_TEMPLATES).size).toBeGreaterThanOrEqual(50);
  expect(new Set(HOSTILE_PATTERNS).size).toBeGreaterThanOrEqual(200);
});

test('every attack is played, under a title of its own', () => {
  const titles = [...ATTACKS, ...NETWORK_ATTACKS].map(({ title }) => title);
  expect(new Set(titles).size).toBe(titles.length);
  const lists = ['index.ts', 'network.ts'].map((file) => readFileSync(join(FOLDER, file), 'utf8')).join('');
  const attacks = readdirSync(FOLDER).filter((file) => file.endsWith('.ts') && !TOOLS.includes(file));
  expect(attacks.length).toBeGreaterThan(8);
  expect(attacks.filter((file) => !lists.includes(`'./${file}'`))).toEqual([]);
});

test('the threat model names every attack', () => {
  const page = read('docs/threat-model.md');
  const attacks = readdirSync(FOLDER).filter((file) => file.endsWith('.ts') && !TOOLS.includes(file));
  expect(attacks.filter((file) => !page.includes(`test/hostile/attacks/${file}`))).toEqual([]);
});
