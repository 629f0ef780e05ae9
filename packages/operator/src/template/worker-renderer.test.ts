import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { systemClock } from '@reloader/runtime';
import { VirtualClock } from '@reloader/runtime/testing';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { TemplateError } from './error.ts';
import { WorkerRenderer, type WorkerRendererOptions } from './worker-renderer.ts';

/** Handles few characters, but takes quadratic time, which no meter counts. */
const ENDLESS = [
  '{{ $v := repeat 250000 "a" }}{{ $n := printf "%sb%s" (repeat 120000 "a") (repeat 120000 "a") }}',
  '{{ contains $n $v }}{{ contains $n $v }}{{ contains $n $v }}',
].join('');
let directory: string;
let file: URL;

/** Bundles the worker from the sources: Node cannot load them directly. */
beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'template-worker-'));
  const outfile = join(directory, 'worker.mjs');
  const entry = fileURLToPath(new URL('worker.ts', import.meta.url));
  await build({ entryPoints: [entry], outfile, bundle: true, platform: 'node', format: 'esm' });
  file = pathToFileURL(outfile);
});
afterAll(() => rm(directory, { recursive: true, force: true }));

function setUp(options: Partial<WorkerRendererOptions> = {}) {
  const renderer = new WorkerRenderer({ clock: systemClock, file, ...options });
  onTestFinished(() => renderer.close());
  const render = (source: string, data: unknown = {}, tenant = 'shop'): Promise<string[]> =>
    renderer.render({ tenant, templates: [['key', source]], data, maxOutputBytes: 65_536 });
  return { renderer, render };
}

describe('Templates in a thread of their own', () => {
  test('are rendered over the same data, in their order', async () => {
    const { renderer } = setUp();
    const data = { name: 'web', none: undefined, list: [1, 'two'] };
    const templates = [
      ['b', '{{ .name }} {{ .none }}'],
      ['a', '{{ range .list }}{{ . }};{{ end }}'],
    ] as const;
    const request = { tenant: 'shop', templates, data, maxOutputBytes: 100 };
    expect(await renderer.render(request)).toEqual(['web <no value>', '1;two;']);
  });

  test('complain with their place', async () => {
    const { render } = setUp();
    const failure = await render('x\n {{ index .list 7 }}', { list: [] }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(TemplateError);
    expect(failure).toMatchObject({ template: 'key', line: 2, column: 5 });
    expect((failure as Error).message).toMatch(/^key:2:5: error calling index/);
    await expect(render('{{ end }}')).rejects.toThrow('key:1:4: unexpected {{end}}');
  });

  test('that use a field which the data never has are refused', async () => {
    const { renderer } = setUp();
    const request = { tenant: 'shop', data: { name: 'web' }, maxOutputBytes: 100 };
    const shape = { fields: { name: 'any' } } as const;
    const rendered = renderer.render({ ...request, templates: [['key', '{{ .nam }}']], shape });
    await expect(rendered).rejects.toThrow('there is no field "nam" here');
    expect(await renderer.render({ ...request, templates: [['key', '{{ .name }}']], shape })).toEqual([
      'web',
    ]);
  });

  test('have no thread before the first, and none when they are no longer used', async () => {
    const clock = new VirtualClock();
    const { renderer, render } = setUp({ clock, idleMs: 1_000 });
    expect(renderer.isRunning).toBe(false);
    expect(await render('x')).toEqual(['x']);
    await clock.advance(999);
    expect(renderer.isRunning).toBe(true);
    await clock.advance(1);
    expect(renderer.isRunning).toBe(false);
    expect(await render('y')).toEqual(['y']);
  });
});

/** The result, while the clock is advanced in these steps: the template's second passes quickly. */
async function outcome(work: Promise<unknown>, clock: VirtualClock, stepMs: number): Promise<unknown> {
  let result: unknown;
  work
    .catch((error: unknown) => error)
    .then((each) => {
      result = each;
    });
  while (result === undefined) {
    await new Promise((resolve) => systemClock.setTimeout(() => resolve(undefined), 5));
    if (stepMs > 0) await clock.advance(stepMs);
  }
  return result;
}

describe('A template that takes too long', () => {
  test('is killed and reported; the requests behind it are served', async () => {
    const clock = new VirtualClock();
    const { renderer, render } = setUp({ clock });
    expect(await render('up')).toEqual(['up']);
    const killed = outcome(render(ENDLESS), clock, 500);
    const next = render('next', {}, 'bank');
    expect(await killed).toEqual(new TemplateError('key', 1, 1, 'it takes longer than 1 s'));
    expect(await next).toEqual(['next']);
    expect(renderer.isRunning).toBe(true);
  });

  test('is refused without another try, for ten minutes', async () => {
    const clock = new VirtualClock();
    const { renderer, render } = setUp({ clock });
    expect(await render('up')).toEqual(['up']);
    expect(await outcome(render(ENDLESS), clock, 500)).toBeInstanceOf(TemplateError);
    expect(renderer.isRunning).toBe(false);
    expect(await outcome(render(ENDLESS), clock, 0)).toBeInstanceOf(TemplateError);
    expect(renderer.isRunning).toBe(false);
    await clock.advance(600_000);
    const again = render(ENDLESS);
    expect(renderer.isRunning).toBe(true);
    renderer.close();
    await expect(again).rejects.toThrow('the operator stops');
  });
});

describe('Tenants', () => {
  test('take turns: no tenant waits for all requests of another', async () => {
    const { render } = setUp();
    const order: string[] = [];
    const asked = [
      ...Array.from({ length: 20 }, (_, index) => ['evil', `evil ${index}`] as const),
      ['shop', 'shop'] as const,
    ].map(async ([tenant, text]) => order.push(...(await render(text, {}, tenant))));
    await Promise.all(asked);
    expect(order.indexOf('shop')).toBeLessThanOrEqual(2);
  });
});

test('requests that wait when the operator stops are rejected', async () => {
  const { renderer, render } = setUp();
  const waiting = [render('a'), render('b')];
  renderer.close();
  for (const each of waiting) await expect(each).rejects.toThrow('the operator stops');
  await expect(render('c')).rejects.toThrow('the operator stops');
  expect(renderer.isRunning).toBe(false);
});

test('a thread that cannot start rejects its requests, and no template is blamed', async () => {
  const { render } = setUp({ file: new URL('missing.mjs', file) });
  const failure = await render('x').catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(Error);
  expect(failure).not.toBeInstanceOf(TemplateError);
});
