import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { manifests } from './manifests.ts';

test.each([...manifests])('%s is what `npm run generate` writes', (path, text) => {
  expect(readFileSync(new URL(`../${path}`, import.meta.url), 'utf8')).toBe(text);
});
