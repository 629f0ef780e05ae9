/** The command line, parsed and validated: nothing is written before all of it is valid. */
import { basename } from 'node:path';
import { parseArgs } from 'node:util';

/** The values of the templates' placeholders. */
export interface Project {
  readonly folder: string;
  /** Name of the project: image, Deployment, Lease, npm package. */
  readonly name: string;
  readonly kind: string;
  readonly plural: string;
  readonly group: string;
  readonly version: string;
}

/** The command line is invalid; the message says what to write instead. */
export class UsageError extends Error {
  override name = 'UsageError';
}

export const USAGE = `Usage: npm create @reloader/operator FOLDER -- [options]

Writes a project with a Kubernetes operator into FOLDER, which must be new or empty.

  --kind KIND        the kind, such as Website (unless given: from the folder's name)
  --group GROUP      its API group, such as example.com
  --plural PLURAL    its name in paths and for kubectl, such as websites
  --version VERSION  the version of its API, such as v1alpha1
  --help             this text
`;

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const KIND = /^[A-Z][A-Za-z0-9]{0,61}$/;
const PLURAL = /^[a-z][a-z0-9]{0,62}$/;
const VERSION = /^v[1-9][0-9]*((alpha|beta)[1-9][0-9]*)?$/;

/** Undefined if only help is wanted. */
export function readCommandLine(args: readonly string[]): Project | undefined {
  const { values, positionals } = parse(args);
  if (values.help) return undefined;
  const [folder, ...more] = positionals;
  if (folder === undefined || more.length > 0)
    throw new UsageError(`Name one folder, such as website-operator; got ${positionals.length}`);
  const name = basename(folder);
  expect(name, LABEL, 'The folder', 'lower-case letters, digits and "-", such as website-operator');
  const { kind = kindFrom(name), group = 'example.com', version = 'v1alpha1' } = values;
  expect(kind, KIND, '--kind', 'a word that begins with a capital letter, such as Website');
  const { plural = `${kind.toLowerCase()}s` } = values;
  expect(plural, PLURAL, '--plural', 'lower-case letters and digits, such as websites');
  expect(version, VERSION, '--version', 'such as v1, v1beta1 or v1alpha1');
  const labels = group.split('.');
  if (labels.length < 2 || group.length > 253 || !labels.every((label) => LABEL.test(label)))
    throw new UsageError(`--group is "${group}": it must be a domain of yours, such as example.com`);
  if (/(^|\.)(k8s|kubernetes)\.io$/.test(group))
    throw new UsageError(`--group is "${group}": that domain belongs to Kubernetes, use one of your own`);
  return { folder, name, kind, plural, group, version };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        kind: { type: 'string' },
        group: { type: 'string' },
        plural: { type: 'string' },
        version: { type: 'string' },
        help: { type: 'boolean' },
      },
    });
  } catch (error) {
    throw new UsageError((error as Error).message);
  }
}

function expect(value: string, pattern: RegExp, what: string, wanted: string): void {
  if (!pattern.test(value)) throw new UsageError(`${what} is "${value}": it must be ${wanted}`);
}

/** `web-site-operator` becomes `WebSite`. */
function kindFrom(name: string): string {
  const words = name.replace(/-operator$/, '').split('-');
  return words.map((word) => `${word[0]?.toUpperCase() ?? ''}${word.slice(1)}`).join('');
}
