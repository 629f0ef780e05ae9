import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { helpText } from '../settings/help.ts';
import { parseSettings } from '../settings/parse.ts';
import { startsByItself } from './bare.ts';
import { run } from './command-io.test.support.ts';

async function reloader(...argv: string[]) {
  const operated: (readonly string[])[] = [];
  const ran = await run(argv, {
    operate: async (flags) => {
      operated.push(flags);
      parseSettings(flags, {});
      return 7;
    },
  });
  return { ...ran, operated };
}

describe('running the operator', () => {
  test.each([
    [[], []],
    [['run'], []],
    [['--auto-reload-all'], ['--auto-reload-all']],
    [
      ['run', '--settle', '0s'],
      ['--settle', '0s'],
    ],
    [
      ['--namespaces=a', '--reload-on-create', 'true', '--is-Argo-Rollouts=true'],
      ['--namespaces=a', '--reload-on-create', 'true', '--is-Argo-Rollouts=true'],
    ],
    [
      ['--namespaces', 'version'],
      ['--namespaces', 'version'],
    ],
    [['-leader-elect'], ['-leader-elect']],
  ])('%j', async (argv, flags) => {
    expect(await reloader(...argv)).toEqual({ code: 7, out: '', err: '', operated: [flags] });
  });

  test('an unexpected error of the operator is passed on', async () => {
    const attempt = run([], { operate: () => Promise.reject(new TypeError('broken')) });
    await expect(attempt).rejects.toThrow('broken');
  });
});

describe('without a cluster', () => {
  test.each([[['run', '--help']], [['run', '-h']]])('%j shows the flags', async (argv) => {
    expect(await reloader(...argv)).toEqual({ code: 0, out: helpText(), err: '', operated: [] });
  });

  test.each([[['--help']], [['-h']]])('%j names every command', async (argv) => {
    const { code, out } = await reloader(...argv);
    expect(code).toBe(0);
    for (const name of ['run', 'explain', 'what-if', 'status', 'history', 'lint', 'migrate', 'crds'])
      expect(out).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    for (const name of [
      'check',
      'manifests',
      'cleanup',
      'freeze',
      'unfreeze',
      'completion',
      'version',
      'help',
    ])
      expect(out).toMatch(new RegExp(`^ {2}${name}\\b`, 'm'));
    expect(out).toContain('Exit codes');
  });

  test('called by kubectl, the help speaks of kubectl', async () => {
    const { out } = await run(['explain', '--help'], { programName: 'kubectl reloader' });
    expect(out).toContain('Usage: kubectl reloader explain');
  });

  test.each([[['version', '--client']], [['--version']]])('%j', async (argv) => {
    const file = new URL('../../package.json', import.meta.url);
    const { version } = JSON.parse(readFileSync(file, 'utf8')) as { version: string };
    const { code, out } = await reloader(...argv);
    expect(code).toBe(0);
    expect(out).toBe(`reloader ${version} (Node ${process.versions.node})\n`);
  });

  test('version says why the other versions are unknown, and exits with 0', async () => {
    const { code, out } = await reloader('version');
    expect(code).toBe(0);
    expect(out).toContain('Note: not known: No cluster is configured');
  });

  test.each([
    [['help'], ['--help']],
    [
      ['help', 'explain'],
      ['explain', '--help'],
    ],
    [
      ['help', 'run'],
      ['run', '--help'],
    ],
  ])('%j is %j', async (asked, same) => {
    expect(await reloader(...asked)).toEqual(await reloader(...same));
  });

  test('crds prints definitions that YAML readers take', async () => {
    const { code, out } = await reloader('crds');
    const documents = parseAllDocuments(out).map(
      (document) => document.toJS() as { metadata: { name: string } },
    );
    expect(code).toBe(0);
    expect(documents.map(({ metadata }) => metadata.name)).toContain('reloaderconfigs.reloader.stakater.com');
  });

  test('manifests prints the definitions and all that runs the operator, in the namespace asked for', async () => {
    const { code, out } = await run(['manifests', '-n', 'tools', '--image', 'example.test/reloader:1']);
    const documents = parseAllDocuments(out).map(
      (document) => document.toJS() as { kind: string; metadata: { namespace?: string } },
    );
    expect(code).toBe(0);
    expect(new Set(documents.map(({ kind }) => kind))).toEqual(
      new Set([
        'CustomResourceDefinition',
        'Namespace',
        'ServiceAccount',
        'ClusterRole',
        'ClusterRoleBinding',
        'Role',
        'RoleBinding',
        'Service',
        'Deployment',
      ]),
    );
    expect(documents.find(({ kind }) => kind === 'Deployment')?.metadata.namespace).toBe('tools');
    expect(out).toContain('image: example.test/reloader:1');
  });
});

describe('on a terminal outside a cluster', () => {
  const startsByItself = false;

  test('without words it shows the help and runs nothing', async () => {
    const { code, out, err } = await run([], { startsByItself });
    expect({ code, err }).toEqual({ code: 0, err: '' });
    expect(out).toContain('"reloader run" starts the operator');
  });

  test.each([
    [['--auto-reload-all'], 'write "reloader run --auto-reload-all"'],
    [
      ['-n', 'shop', 'explain', 'deployment/web'],
      'Options stand after the command: write "reloader explain …"',
    ],
  ])('%j runs nothing and says what to write', async (argv, hint) => {
    const { code, out, err } = await run(argv, { startsByItself });
    expect({ code, out }).toEqual({ code: 2, out: '' });
    expect(err).toContain(hint);
  });

  test('run runs', async () => {
    const operate = async (): Promise<number> => 7;
    expect((await run(['run'], { startsByItself, operate })).code).toBe(7);
  });
});

describe('flags alone start the operator', () => {
  const inPod = { KUBERNETES_SERVICE_HOST: '10.0.0.1' };
  test.each([
    ['in a container without a terminal', false, {}, 'reloader', false, true],
    ['in a pod with a terminal (kubectl run -it)', true, inPod, 'reloader', true, true],
    ['not on a terminal', true, {}, 'reloader', false, false],
    ['not on a terminal that has the variable but no account', true, inPod, 'reloader', false, false],
    ['not as a plugin of kubectl in a script', false, {}, 'kubectl-reloader', false, false],
  ])('%s', (_name, isTerminal, environment, program, hasAccount, expected) => {
    expect(startsByItself(isTerminal, environment, `/bin/${program}`, () => hasAccount)).toBe(expected);
  });
});

describe('manifests', () => {
  test('manifests for chosen namespaces hold Roles there, and no right anywhere else', async () => {
    const { code, out } = await run(['manifests', '-n', 'tools', '--namespaces', 'shop,bank']);
    expect(code).toBe(0);
    const documents = parseAllDocuments(out).map((each) => each.toJS() as Printed);
    const kinds = new Set(documents.map(({ kind }) => kind));
    expect([...kinds].filter((kind) => kind.startsWith('ClusterRole'))).toEqual([]);
    const roles = documents.filter(({ kind }) => kind === 'Role');
    expect(roles.map(({ metadata }) => `${metadata.namespace}/${metadata.name}`)).toEqual([
      'shop/reloader-role',
      'bank/reloader-role',
      'tools/reloader',
    ]);
    expect(JSON.stringify(roles)).not.toMatch(/podconfig|eviction/);
    expect(out).toContain('--namespaces=shop,bank');
    const { out: asked } = await run([
      'manifests',
      '--controllers',
      'reloader,podconfig',
      '--with',
      'evictions',
    ]);
    expect(asked).toContain('podconfigmapconfigs/status');
    expect(asked).toContain('pods/eviction');
  });
});

interface Printed {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

describe('wrong usage ends with 2, on standard error', () => {
  test.each([
    [['--setle=1s'], 'Unknown flag --setle: did you mean --settle?'],
    [['run', '--settle=abc'], '--settle=abc: must be a duration'],
    [['verson'], 'Unknown command "verson": did you mean version?'],
    [['teleport'], 'Unknown command "teleport": there are run, check, explain'],
    [['run', 'fast'], 'Unexpected argument "fast"'],
    [['version', '--loud'], "unknown option '--loud'"],
    [['status', '--namespce', 'shop'], 'Did you mean --namespace?'],
    [['help', 'explian'], 'Unknown command "explian": did you mean explain?'],
    [['explain'], "missing required argument 'object'"],
    [['explain', 'deploymnt/web'], 'Unknown kind "deploymnt": did you mean deployment? Write it'],
    [['explain', 'service/web'], 'Unknown kind "service"'],
    [['explain', 'deployment'], 'Which Deployment? Write it as in deployment/web'],
    [['explain', 'deployment/a/b'], 'Which Deployment?'],
    [['explain', 'web'], 'DaemonSet, CronJob, Job, Rollout, DeploymentConfig. Write it as in deployment/web'],
    [['explain', 'cm/app'], 'see "reloader what-if" for the workloads that use a source'],
    [['what-if', 'deployment/web'], 'see "reloader explain" for what a workload waits for'],
    [['what-if', 'secret/a', '-o', 'xml'], 'Allowed choices are text, wide, name, json, yaml'],
    [['lint'], "missing required argument 'files'"],
    [['completion', 'tcsh'], 'Allowed choices are bash, zsh, fish'],
    [['freeze', 'deployment/web', '--cluster'], 'Give an object or --cluster, not both'],
    [['manifests', '-n', 'Not A Name'], 'No namespace can be called "Not A Name"'],
    [['manifests', '--namespaces', 'shop,Not A Name'], 'No namespace can be called "Not A Name"'],
    [
      ['manifests', '--controllers', 'reloder'],
      '--controllers: there is no "reloder", only reloader, podconfig',
    ],
    [['manifests', '--controllers', ','], '--controllers: name at least one'],
    [['manifests', '--namespaces', ','], '--namespaces: name at least one'],
    [['manifests', '--namespaces', ''], '--namespaces <names>: the value is empty'],
    [['manifests', '--image='], '--image <image>: the value is empty'],
    [['cleanup', '-n', '', '--dry-run'], '-n, --namespace <name>: the value is empty'],
    [['cleanup', '--ledgers', '--to-ledgers'], 'Give either --ledgers or --to-ledgers'],
    [['approve', '--all', '--namespace='], '-n, --namespace <name>: the value is empty'],
    [['freeze', '-n', ' '], '-n, --namespace <name>: the value is empty'],
    [['freeze', '--cluster', '--operator-namespace', ''], '--operator-namespace <name>: the value is empty'],
    [['what-if', 'secret/a', '--key', 'b', '--key', ''], '--key <name...>: the value is empty'],
    [['status', '--kubeconfig', ''], '--kubeconfig <file>: the value is empty'],
    [
      ['manifests', '--with', 'secrets'],
      '--with: there is no "secrets", only evictions, alert-secrets, restore-config-maps',
    ],
  ])('%j', async (argv, message) => {
    const { code, out, err } = await reloader(...argv);
    expect(code).toBe(2);
    expect(out).toBe('');
    expect(err).toContain(`reloader: `);
    expect(err).toContain(message);
    const isCommand = !['-', 'verson', 'teleport', 'help'].some((start) => argv[0]?.startsWith(start));
    expect(err).toContain(`Run "reloader ${isCommand ? `${argv[0]} ` : ''}--help" for`);
    expect(err.trimEnd().split('\n')).toHaveLength(2);
  });
});

test('a reason and a list of features may be empty', async () => {
  expect((await run(['manifests', '--with', ''])).code).toBe(0);
  expect((await run(['freeze', '--reason', ''])).err).toContain('No cluster is configured');
});

describe('a command that fails ends with 1 and one line', () => {
  test.each([
    [['explain', 'deployment/web'], 'No cluster is configured'],
    [['status'], 'No cluster is configured'],
    [['status', '--operator', 'http://127.0.0.1:1'], 'The operator does not answer at http://127.0.0.1:1'],
    [['freeze'], 'No cluster is configured'],
    [['lint', 'missing.yaml'], 'Cannot read missing.yaml: there is no such file or folder'],
  ])('%j', async (argv, message) => {
    const { code, out, err } = await run(argv);
    expect(code).toBe(1);
    expect(out).toBe('');
    expect(err).toContain(message);
    expect(err.trimEnd().split('\n')).toHaveLength(1);
  });

  test('with --debug the stack is shown', async () => {
    await expect(run(['status', '--debug'])).rejects.toThrow('No cluster is configured');
  });
});
