// Writes the custom resource definitions that the operator's sources define. Run with `npm run generate`.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedCrds } from '../packages/operator/src/crds/generate.ts';

for (const [path, content] of generatedCrds()) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  console.log(path);
}
