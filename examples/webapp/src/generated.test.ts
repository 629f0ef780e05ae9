/** Generated files match the code. */
import { readFileSync } from 'node:fs';
import type { PolicyRule } from '@reloader/runtime';
import { expect, test } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { webapps } from './operator.ts';
import { WebApps } from './webapp.ts';

const read = (name: string): string => readFileSync(new URL(`../${name}`, import.meta.url), 'utf8');

/** `get webapps.example.com`: one entry for each verb, however the rules are grouped. */
const each = (rules: readonly PolicyRule[]): string[] =>
  rules
    .flatMap(({ apiGroups, resources, verbs }) =>
      apiGroups.flatMap((group) =>
        resources.flatMap((name) => verbs.map((verb) => `${verb} ${name}.${group}`)),
      ),
    )
    .sort();

test('crd.yaml is what the kind says: run `npm run generate`', () => {
  expect(parse(read('crd.yaml'))).toEqual(JSON.parse(JSON.stringify(WebApps.crd())));
});

test('rbac.yaml grants what the operator needs, and nothing else', () => {
  const roles = parseAllDocuments(read('rbac.yaml')).map((document) => document.toJS() as Role);
  const rules = roles.find(({ kind }) => kind === 'ClusterRole')?.rules ?? [];
  expect(each(rules)).toEqual(each(webapps.rules({ leaderElection: false })));
});

interface Role {
  readonly kind: string;
  readonly rules?: PolicyRule[];
}
