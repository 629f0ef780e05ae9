/** Conventions that users of kubectl and its plugins expect of a command. */
import { kinds } from '@reloader/runtime';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { run } from '../../packages/operator/src/cli/command-io.test.support.ts';
import { workload } from '../reloader/objects.ts';
import { play } from './play.ts';
import type { Manifest } from './random-cluster.ts';

describe('-o', () => {
  test('json, yaml, name and wide of one answer', async () => {
    const { command } = await play();
    const json = JSON.parse((await command('explain', 'deployment/web', '-o', 'json')).out);
    expect(parse((await command('explain', 'deployment/web', '-o', 'yaml')).out)).toEqual(json);
    expect((await command('explain', 'deployment/web', '-o', 'name')).out).toBe('secret/credentials\n');
    expect((await command('what-if', 'secret/credentials', '-o', 'name')).out).toBe('deployment/web\n');
    expect((await command('status', '-o', 'name')).out).toBe('deployment/web\n');
    const wide = (await command('status', '-o', 'wide')).out;
    expect(wide).toMatch(/STATE +PROBLEMS +WATCHES +WHY\n/);
    expect(wide).toMatch(/up to date +0 +secret\/credentials +-/);
  });

  test('several objects are items of one answer, and texts one after the other', async () => {
    const { command } = await play();
    const both = ['explain', 'deployment/web', 'deployment/quiet'];
    const { items } = JSON.parse((await command(...both, '-o', 'json')).out) as {
      items: { workload: { name: string } }[];
    };
    expect(items.map((item) => item.workload.name)).toEqual(['web', 'quiet']);
    const { out } = await command('explain', 'deployment', 'web', 'quiet');
    expect(out).toContain('Deployment shop/web: Watches 1 source');
    expect(out).toContain('\n\nDeployment shop/quiet: Not watched');
  });

  test('-A finds the object in all namespaces that have one', async () => {
    const { command, stage } = await play();
    await stage.create(workload('Deployment', 'web', 'empty', {}) as unknown as Manifest);
    await stage.clock.advance(2_000);
    const { out } = await command('explain', 'deployment/web', '-A');
    expect(out).toContain('Deployment empty/web: Not watched');
    expect(out).toContain('Deployment shop/web: Watches 1 source');
    expect((await command('explain', 'deployment/nope', '-A')).err).toContain(
      'No namespace has a Deployment named nope',
    );
  });

  test('several are frozen at once, or none', async () => {
    const { command, stage } = await play();
    expect((await command('freeze', 'deployment/web', 'deployment/nope')).code).toBe(1);
    const frozen = async (): Promise<unknown[]> =>
      (await stage.client.list(kinds.Deployment, { namespace: 'shop' })).items.map(
        ({ metadata }) => metadata.annotations?.['reloader.stakater.com/freeze'],
      );
    expect(await frozen()).toEqual([undefined, undefined]);
    expect((await command('freeze', 'deployment', 'web', 'quiet')).code).toBe(0);
    expect(await frozen()).toEqual(['true', 'true']);
    expect((await command('freeze', '-A')).out).toContain(
      'The whole cluster (by Namespace reloader) is frozen',
    );
  });
});

test('explain finds no problem in what the operator itself wrote', async () => {
  const { command, change, stage } = await play();
  await change('another');
  await stage.clock.advance(30_000);
  const { out } = await command('explain', 'deployment/web');
  expect(out).toContain('1 reload');
  expect(out).not.toContain('Problems');
});

describe('status -w', () => {
  test('writes again only what is new, until Ctrl-C, and ends in order', async () => {
    const { stage, change } = await play([], { auto: 'true', 'batch-window': '1m' });
    const end = new AbortController();
    let out = '';
    const given = {
      client: stage.client,
      clock: stage.clock,
      signal: end.signal,
      print: (text: string) => {
        out += text;
      },
    };
    const watching = run(['status', '-w'], given);
    await stage.clock.advance(10_000);
    const times = (): number => out.split('Reloader Operator').length - 1;
    expect(times()).toBe(1);
    await change('another');
    // The ConfigMap with the history appears some seconds later and counts as one more source.
    await stage.clock.advance(20_000);
    expect(out).toContain('Deployment shop/web: batching until');
    const before = times();
    await stage.clock.advance(20_000);
    expect(times()).toBe(before);
    end.abort(new Error('Ctrl-C'));
    expect((await stage.drive(watching)).code).toBe(0);
  });
});

describe('version', () => {
  test('names client, operator and Kubernetes', async () => {
    const { command } = await play();
    const { out } = await command('version', '-o', 'json');
    const { client, operator, kubernetes } = JSON.parse(out);
    expect(operator).toBe(client);
    expect(kubernetes).toMatch(/^v1\./);
  });
});

describe('colours and widths', () => {
  const ESCAPE = '\u001b[';

  test('states have colours on a terminal, and none in a pipe', async () => {
    const { commandWith, command } = await play();
    const shown = await commandWith({ colours: true, columns: 80 }, 'status');
    expect(shown.out).toContain(`${ESCAPE}32mup to date`);
    expect((await command('status')).out).not.toContain(ESCAPE);
  });

  test.each([
    [['status']],
    [['explain', 'deployment/web', 'deployment/quiet']],
    [['what-if', 'secret/credentials']],
    [['what-if', 'secret/nope']],
    [['history']],
    [['check']],
    [['--help']],
  ])('%j fits 80 columns', async (argv) => {
    const { commandWith, change, stage } = await play();
    await change('another');
    await stage.clock.advance(30_000);
    const { out } = await commandWith({ columns: 80 }, ...argv);
    for (const line of out.split('\n')) expect(line.length, line).toBeLessThanOrEqual(80);
  });
});

describe('what-if', () => {
  test('on a terminal it names configs, cuts nothing, and tells once what all wait for', async () => {
    const { commandWith, stage } = await play();
    await stage.create({
      apiVersion: 'reloader.stakater.com/v1alpha1',
      kind: 'ReloaderConfig',
      metadata: { namespace: 'shop', name: 'for-quiet' },
      spec: {
        watchedResources: { secrets: ['credentials'] },
        targets: [{ kind: 'Deployment', name: 'quiet' }],
      },
    } as unknown as Manifest);
    await stage.clock.advance(5_000);
    const narrow = (await commandWith({ columns: 80 }, 'what-if', 'secret/credentials')).out;
    expect(narrow).toMatch(/ORDER +WORKLOAD +WHEN +RULE AND HOW\n/);
    expect(narrow).toContain('deployment/quiet   in 1s   config shop/for-quiet; rolling');
    expect(narrow).not.toContain('…');
    expect(narrow).not.toContain('[object Object]');
    expect(narrow.match(/settling until/g)).toHaveLength(1);
    const piped = (await commandWith({}, 'what-if', 'secret/credentials')).out;
    expect(piped).toMatch(/ORDER +NAMESPACE +WORKLOAD +WHEN +RULE +HOW\n/);
  });

  test('a source that does not exist is told so', async () => {
    const { command } = await play();
    expect((await command('what-if', 'secret/nope')).out).toBe(
      'Secret shop/nope does not exist. If it were created now, nothing would restart\n',
    );
  });
});

test('a mistyped workload gets a suggestion, and an empty namespace points to -A', async () => {
  const { command } = await play();
  expect((await command('explain', 'deployment/wep')).err).toBe(
    'reloader: Deployment shop/wep does not exist: did you mean web?\n',
  );
  expect((await command('history')).out).toBe(
    'No reloads are on record for namespace shop; -A lists those of all namespaces\n',
  );
});

test('history on a narrow terminal keeps the cause beside its workload', async () => {
  const { commandWith, change, stage } = await play();
  await change('another');
  await stage.clock.advance(30_000);
  const { out } = await commandWith({ columns: 80 }, 'history');
  expect(out).toMatch(
    /^AGE +WORKLOAD +RESULT +ROLLOUT +CAUSE\n\d+s +deployment\/web +succeeded +[\d.]+s +Secret shop\/credentials\n$/,
  );
  expect((await commandWith({}, 'history')).out).toMatch(
    /^AGE +NAMESPACE +WORKLOAD +RESULT +WAITED +ROLLOUT +CAUSE\n/,
  );
});

describe('completion', () => {
  test.each([
    [['ex'], 'explain\twhy a workload is or is not reloaded\n:4\n'],
    [['help', 'unf'], 'unfreeze\troll out what was held back\n:4\n'],
    [['explain', 'dep'], 'deployment/\n:6\n'],
    [['explain', 'deployment/w'], 'deployment/web\n:4\n'],
    [['explain', 'deploy', 'q'], 'quiet\n:4\n'],
    [['what-if', 'secret/'], 'secret/credentials\n:4\n'],
    [['explain', 'deployment/', '-n', 'shop'], 'shop\n:4\n'],
    [['status', '-n', ''], expect.stringMatching(/^default\nempty\n[\s\S]*shop\n:4\n$/)],
    [['status', '--namespace=sh'], '--namespace=shop\n:4\n'],
    [['explain', '-n', 'empty', 'deployment/'], ':4\n'],
    [['explain', '-A', 'deployment/w'], 'deployment/web\n:4\n'],
    [['status', '--wat'], '--watch\tgo on, and write it again whenever it has changed\n:4\n'],
    [['status', '-o', 'y'], 'yaml\n:4\n'],
    [['completion', 'f'], 'fish\n:4\n'],
    [['lint', 'a'], ':0\n'],
    [['nonsense', ''], ':4\n'],
  ])('of %j', async (words, expected) => {
    const { command } = await play();
    expect(await command('__complete', ...words)).toEqual({ code: 0, out: expected, err: '' });
  });

  test('without a cluster there are no names, and no error', async () => {
    expect(await run(['__complete', 'explain', 'deployment/'])).toEqual({ code: 0, out: ':4\n', err: '' });
  });

  test.each(['bash', 'zsh', 'fish'])('the script for %s asks the command', async (shell) => {
    expect((await run(['completion', shell])).out).toContain('reloader __complete');
  });
});
