/** Issue forms and CODEOWNERS: GitHub can read them, and everything they name exists. */
import { existsSync, readdirSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { COORDINATES } from '../../config/coordinates.mjs';
import { ROOT, read } from '../docs/blocks.ts';

interface Field {
  readonly type: string;
  readonly id?: string;
  readonly attributes: {
    readonly label?: string;
    readonly value?: string;
    readonly description?: string;
    readonly options?: readonly { readonly label: string; readonly required?: boolean }[];
  };
  readonly validations?: { readonly required?: boolean };
}
interface Form {
  readonly name: string;
  readonly description: string;
  readonly body: readonly Field[];
}

const FOLDER = '.github/ISSUE_TEMPLATE';
const forms = readdirSync(`${ROOT}/${FOLDER}`).filter((name) => name !== 'config.yml');
const formOf = (name: string): Form => parse(read(`${FOLDER}/${name}`)) as Form;

describe.each(forms)('%s', (name) => {
  const { body, ...head } = formOf(name);
  const asked = body.filter(({ type }) => type !== 'markdown');

  test('is a form as GitHub reads it', () => {
    expect(head).toMatchObject({ name: expect.any(String), description: expect.any(String) });
    expect(asked.length).toBeGreaterThan(0);
    for (const { type, attributes } of body) {
      expect(['markdown', 'textarea', 'checkboxes']).toContain(type);
      expect(type === 'markdown' ? attributes.value : attributes.label).toEqual(expect.any(String));
    }
    expect(new Set(asked.map(({ id }) => id)).size).toBe(asked.length);
  });

  test('links to our own pages', () => {
    for (const [link] of read(`${FOLDER}/${name}`).matchAll(/https:\/\/[^\s)]+/g)) {
      expect(link).toMatch(new RegExp(`^${COORDINATES.site}/`));
      expect(existsSync(`${ROOT}/docs/${pageOf(link)}`), link).toBe(true);
    }
  });

  test('names commands that exist', () => {
    const commands = [...read(`${FOLDER}/${name}`).matchAll(/reloader ([a-z-]+)/g)].map(
      ([, word = '']) => word,
    );
    const known = read('docs/cli.md');
    expect(commands.filter((word) => !known.includes(`\n### reloader ${word}\n`))).toEqual([]);
  });
});

function pageOf(link: string): string {
  const page = link.slice(COORDINATES.site.length + 1);
  return page === 'documentation' ? 'README.md' : `${page}.md`;
}

test('the bug form asks for version, check and explain, and warns not to paste Secrets', () => {
  const { body } = formOf('bug.yml');
  const needed = body.filter(({ validations }) => validations?.required).map(({ id }) => id);
  expect(needed).toEqual(expect.arrayContaining(['version', 'check', 'explain']));
  expect(body[0]?.attributes.value).toContain('Do not paste values of Secrets');
  expect(body.at(-1)?.attributes.options?.every(({ required }) => required)).toBe(true);
});

test('vulnerabilities are not reported in issues', () => {
  const { blank_issues_enabled, contact_links } = parse(read(`${FOLDER}/config.yml`)) as {
    blank_issues_enabled: boolean;
    contact_links: { url: string }[];
  };
  expect(blank_issues_enabled).toBe(false);
  expect(contact_links.map(({ url }) => url)).toEqual([`${COORDINATES.repository}/security/advisories/new`]);
});

test('every line of CODEOWNERS names a place that exists, and a team', () => {
  const lines = read('.github/CODEOWNERS')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'));
  expect(lines[0]).toMatch(/^\*\s/);
  for (const line of lines) {
    const [place = '', ...owners] = line.split(/\s+/);
    expect(place === '*' || existsSync(`${ROOT}${place}`), place).toBe(true);
    expect(owners.length).toBeGreaterThan(0);
    for (const owner of owners) expect(owner).toMatch(/^@[a-z-]+\/[a-z-]+$/);
  }
});
