import { writeFileSync } from 'node:fs';
import { manifests } from './manifests.ts';

for (const [path, text] of manifests) {
  writeFileSync(new URL(`../${path}`, import.meta.url), text);
  console.log(path);
}
