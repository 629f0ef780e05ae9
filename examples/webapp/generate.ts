/** `crd.yaml`, from the kind: `npm run generate` writes it. */
import { stringify } from 'yaml';
import { WebApps } from './src/webapp.ts';

const HEADER = '# Generated from src/webapp.ts: change it there, then run `npm run generate`.\n';

export const generatedExample = (): ReadonlyMap<string, string> =>
  new Map([['examples/webapp/crd.yaml', HEADER + stringify(WebApps.crd(), { lineWidth: 0 })]]);
