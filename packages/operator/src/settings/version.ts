import { readFileSync } from 'node:fs';

interface PackageFile {
  readonly version: string;
  readonly config: { readonly image: string };
}

/** The file of this package. Sources and built files are at the same depth below it. */
function packageFile(): PackageFile {
  return JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as PackageFile;
}

export function packageVersion(): string {
  return packageFile().version;
}

/** The image of this version's release. */
export function packageImage(): string {
  const { config, version } = packageFile();
  return `${config.image}:${version}`;
}

export function versionLine(): string {
  return `reloader ${packageVersion()} (Node ${process.versions.node})`;
}
