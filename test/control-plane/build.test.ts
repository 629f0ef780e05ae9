import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { buildAll, cacheRoot, controlPlaneBinary } from './build.ts';
import { GoMissingError } from './go.ts';

let directory: string;
let cache: string;
let lines: string[];
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'build-'));
  cache = join(directory, 'cache');
  lines = [];
});
afterEach(() => {
  rmSync(directory, { recursive: true, force: true });
});

const log = (line: string) => {
  lines.push(line);
};

/** An environment whose only Go is a shell script; it appends its arguments to a file named `calls`. */
function withGo(script: string): NodeJS.ProcessEnv {
  const bin = join(directory, 'path');
  mkdirSync(bin, { recursive: true });
  const head = `#!/bin/sh\necho "$@" >> '${join(directory, 'calls')}'\n`;
  writeFileSync(join(bin, 'go'), head + script);
  chmodSync(join(bin, 'go'), 0o755);
  return { PATH: `${bin}:/usr/bin:/bin`, RELOADER_CONTROL_PLANE_CACHE: cache };
}

/** Answers `version` and `list -m`, and builds files that hold the name of their package. */
const goodGo = () => `
case $1 in
  version) echo 'go version go1.26.1 linux/amd64'; exit ;;
  list) echo '${join(directory, 'source')}'; exit ;;
esac
mkdir -p "$GOCACHE"
while [ "$1" != -o ]; do shift; done
output=$2; shift 2
for path in "$@"; do
  case $output in */) echo "$path" > "$output\${path##*/}" ;; *) echo "$path" > "$output" ;; esac
  echo "$path" >&2
done
`;

const calls = () => readFileSync(join(directory, 'calls'), 'utf8').trim().split('\n');
const builds = () => calls().filter((call) => call.startsWith('build'));

describe('the cache', () => {
  test('lies in the home directory, or where the environment says', () => {
    expect(cacheRoot({})).toBe(join(homedir(), '.cache', 'reloader-control-plane'));
    expect(cacheRoot({ RELOADER_CONTROL_PLANE_CACHE: '/c' })).toBe('/c');
  });
});

describe('a binary', () => {
  test('is built when nothing is ready, with the others of its module', async () => {
    const path = await controlPlaneBinary('kubectl', { env: withGo(goodGo()), log });
    expect(readFileSync(path, 'utf8')).toBe('k8s.io/kubernetes/cmd/kubectl\n');
    expect(readdirSync(join(path, '..')).toSorted()).toEqual([
      'etcd',
      'kube-apiserver',
      'kube-controller-manager',
      'kube-scheduler',
      'kubectl',
      'kwok',
    ]);
    expect(lines.join('\n')).toContain('kubernetes: 5 packages compiled');
  });

  test('is built once', async () => {
    const env = withGo(goodGo());
    const path = await controlPlaneBinary('helm', { env, log });
    expect(await controlPlaneBinary('helm', { env, log })).toBe(path);
    expect(builds()).toHaveLength(1);
  });

  test('is built once for all who ask at the same time', async () => {
    const env = withGo(goodGo());
    const paths = await Promise.all([1, 2, 3].map(() => controlPlaneBinary('helm', { env, log })));
    expect(new Set(paths).size).toBe(1);
    expect(builds()).toHaveLength(1);
    expect(lines).toContain(`helm: process ${process.pid} is building it, waiting`);
  });

  test('needs no Go once it is in the cache', async () => {
    const env = withGo(goodGo());
    const path = await controlPlaneBinary('helm', { env, log });
    expect(await controlPlaneBinary('helm', { env: { ...env, PATH: '/nowhere' }, log })).toBe(path);
  });

  test('is not waited for once it is in the cache, even during another build', async () => {
    const env = withGo(goodGo());
    const path = await controlPlaneBinary('helm', { env, log });
    writeFileSync(`${join(path, '..', '..')}.lock`, String(process.ppid));
    const signal = AbortSignal.timeout(2_000);
    expect(await controlPlaneBinary('helm', { env, log, signal })).toBe(path);
  });

  test('leaves nothing but the binaries in the cache', async () => {
    const path = await controlPlaneBinary('helm', { env: withGo(goodGo()), log });
    expect(readdirSync(cache)).toEqual([path.split('/').at(-3)]);
  });

  test('of Argo Rollouts comes with the definitions of its resources', async () => {
    const source = join(directory, 'source', 'manifests', 'crds');
    mkdirSync(source, { recursive: true });
    for (const name of ['rollout-crd.yaml', 'kustomization.yaml']) writeFileSync(join(source, name), name);
    const path = await controlPlaneBinary('argo-rollouts-crds', { env: withGo(goodGo()), log });
    expect(readdirSync(path)).toEqual(['rollout-crd.yaml']);
  });
});

describe('a failing build', () => {
  const failing = () => goodGo().replace('mkdir -p', 'echo "undefined: x" >&2; exit 2; mkdir -p');

  test('is an error with what Go wrote', async () => {
    const env = withGo(failing());
    await expect(controlPlaneBinary('helm', { env, log })).rejects.toThrow(
      /go build in .*modules\/helm ended with status 2:\nundefined: x/,
    );
  });

  test('leaves no entry in the cache, so that the next one tries again', async () => {
    await controlPlaneBinary('helm', { env: withGo(failing()), log }).catch(() => {});
    expect(readdirSync(cache)).toEqual([]);
    const path = await controlPlaneBinary('helm', { env: withGo(goodGo()), log });
    expect(readFileSync(path, 'utf8')).toBe('helm.sh/helm/v3/cmd/helm\n');
  });

  test('that was killed has its remains removed by the next', async () => {
    const env = withGo(goodGo());
    const entry = (await controlPlaneBinary('helm', { env, log })).split('/').at(-3) ?? '';
    rmSync(join(cache, entry), { recursive: true });
    mkdirSync(join(cache, `${entry}.partial-dead`, 'bin'), { recursive: true });
    await controlPlaneBinary('helm', { env, log });
    expect(readdirSync(cache)).toEqual([entry]);
  });
});

describe('without a suitable Go and without ready binaries', () => {
  const message = (found: string) =>
    'the real control plane needs Go >= 1.26 or KUBEBUILDER_ASSETS pointing at ready binaries: ' +
    `those of kubernetes are neither there nor in the cache, and ${found}`;

  test('one line says what is needed', async () => {
    const env = { PATH: '/nowhere', RELOADER_CONTROL_PLANE_CACHE: cache };
    const error = await buildAll(['kubernetes'], { env, log }).catch((e: unknown) => e);
    expect(error).toBeInstanceOf(GoMissingError);
    expect((error as Error).message).toContain(message('`go version` fails ('));
    expect((error as Error).message).not.toContain('\n');
  });

  test('one line says that Go is too old', async () => {
    const env = withGo("echo 'go version go1.25.9 linux/amd64'");
    await expect(buildAll(['kubernetes'], { env, log })).rejects.toThrow(
      message('`go version` says go version go1.25.9 linux/amd64'),
    );
  });
});

describe('KUBEBUILDER_ASSETS', () => {
  test('is used for what it holds', async () => {
    writeFileSync(join(directory, 'kubectl'), '');
    const env = { PATH: '/nowhere', KUBEBUILDER_ASSETS: directory };
    expect(await controlPlaneBinary('kubectl', { env, log })).toBe(join(directory, 'kubectl'));
  });

  test('leaves what it does not hold to be built', async () => {
    const env = { ...withGo(goodGo()), KUBEBUILDER_ASSETS: directory };
    expect(await controlPlaneBinary('kubectl', { env, log })).toContain(cache);
  });

  test('is an error when it names no directory', async () => {
    const env = { KUBEBUILDER_ASSETS: join(directory, 'missing') };
    await expect(controlPlaneBinary('kubectl', { env, log })).rejects.toThrow(
      `KUBEBUILDER_ASSETS names ${join(directory, 'missing')}, which does not exist: correct it or unset it`,
    );
  });
});
