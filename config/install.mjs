// One manifest from what kustomize prints: `kubectl kustomize config/default | node config/install.mjs`.
import { text } from 'node:stream/consumers';
import { pathToFileURL } from 'node:url';
import { parseAllDocuments, stringify } from 'yaml';

const HEADER = '# Generated from config/default: change it there, then run `make build-installer`.\n';

export function installManifest(kustomized) {
  const objects = parseAllDocuments(kustomized).map((document) => document.toJS());
  return HEADER + objects.map((object) => stringify(object, { lineWidth: 0 })).join('---\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  process.stdout.write(installManifest(await text(process.stdin)));
}
