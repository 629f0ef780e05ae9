// Generates files from the operator's sources: custom resource definitions, their reference and the pages of flags,
// commands and requirements. Run with `npm run generate`; tests check that the files are up to date.
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { generatedPackaging } from '../config/generate.mjs';
import { generatedExample } from '../examples/webapp/generate.ts';
import { generatedCliDocuments } from '../packages/operator/src/cli/generate.ts';
import { generatedCrds } from '../packages/operator/src/crds/generate.ts';
import { generatedReference } from '../packages/operator/src/crds/reference.ts';
import { generatedDocuments } from '../packages/operator/src/settings/generate.ts';
import { generatedRequirements } from '../test/requirements/page.ts';
import { generatedOpenApi } from './openapi.mjs';

for (const [path, content] of [
  ...generatedCrds(),
  ...generatedExample(),
  ...generatedPackaging(generatedCrds()),
  ...generatedReference(),
  ...generatedDocuments(),
  ...generatedCliDocuments(),
  ...generatedOpenApi(),
  ...generatedRequirements(),
]) {
  const file = fileURLToPath(new URL(`../${path}`, import.meta.url));
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  console.log(path);
}
