import { type Client, ForbiddenError, NotFoundError } from '@reloader/runtime';
import { describe, expect, test } from 'vitest';
import { FIXED_ANNOTATIONS } from '../reloader/model/annotations.ts';
import { ALERT_EVENTS, type ChannelFacts } from '../reloader/model/config.ts';
import { Hidden } from '../reloader/model/hidden.ts';
import { configFacts, fakeWorld, namespaceFacts, targetFacts } from '../reloader/want/world.test.support.ts';
import type { AlertSettings, GlobalAlertSettings } from '../settings/settings.ts';
import { inlineRenderer } from '../template/renderer.ts';
import { alertOf, message } from './alert.test.support.ts';
import type { DeliveryError } from './delivery/error.ts';
import { Destinations, type DestinationsOptions } from './destinations.ts';

const NO_ALERTS: AlertSettings = {
  global: undefined,
  proxy: undefined,
  additionalInfo: undefined,
  allowedHosts: [],
  allowInternal: false,
  groupWindowMs: 2_000,
};
const GLOBAL: GlobalAlertSettings = {
  words: 'cards',
  sink: 'slack',
  url: new Hidden('https://global.test/T0K3N'),
  events: ALERT_EVENTS,
  template: undefined,
  format: undefined,
  grouped: true,
};

function channel(overrides: Partial<ChannelFacts> = {}): ChannelFacts {
  return {
    channel: 'slack',
    url: undefined,
    secretRef: undefined,
    events: ALERT_EVENTS,
    template: undefined,
    format: undefined,
    ...overrides,
  };
}

const inSecret = (key = 'url', namespace = 'shop') =>
  channel({ secretRef: { namespace, name: 'hooks', key } });
const byUrl = (url: string, more: Partial<ChannelFacts> = {}) => channel({ url: new Hidden(url), ...more });

interface Parts {
  readonly channels?: readonly ChannelFacts[];
  readonly global?: Partial<GlobalAlertSettings>;
  /** The content of the Secret, or the error of reading it. */
  readonly secret?: Readonly<Record<string, string>> | Error;
  readonly options?: Partial<DestinationsOptions>;
}

function setUp({ channels = [], global, secret = {}, options }: Parts) {
  const asked: string[] = [];
  const client = {
    async get(_type: unknown, { namespace, name }: { namespace: string; name: string }) {
      asked.push(`${namespace}/${name}`);
      if (secret instanceof Error) throw secret;
      const encoded = Object.entries(secret).map(([key, text]) => [
        key,
        Buffer.from(text).toString('base64'),
      ]);
      return { metadata: { namespace, name }, data: Object.fromEntries(encoded) };
    },
  } as unknown as Client;
  const world = fakeWorld({
    configs: [configFacts({ alerts: channels })],
    namespaces: [namespaceFacts({ name: 'ops' })],
  });
  const destinations = new Destinations({
    client,
    world,
    settings: { allowCrossNamespace: false },
    alerts: { ...NO_ALERTS, global: global && { ...GLOBAL, ...global } },
    templates: inlineRenderer,
    ...options,
  });
  const of = (event = message().event, configs = ['shop/rules'], workload = message().workload) =>
    destinations.of({ event, configs, workload });
  const url = async (): Promise<string> => {
    const [first] = of();
    if (!first) throw new Error('nobody is told');
    return (await first.url(new AbortController().signal)).href;
  };
  return { of, url, asked };
}

describe('Who is told', () => {
  test('every channel of every config that asked, and the global receiver', () => {
    const { of } = setUp({
      channels: [byUrl('https://a.test'), byUrl('https://b.test', { channel: 'teams' })],
      global: {},
    });
    expect(of().map(({ name }) => name)).toEqual([
      'the global receiver (slack)',
      'slack of ReloaderConfig shop/rules',
      'teams of ReloaderConfig shop/rules',
    ]);
    expect(of('reloaded', []).map(({ id }) => id)).toEqual(['global']);
    expect(of('reloaded', ['shop/deleted']).map(({ id }) => id)).toEqual(['global']);
  });

  test('no config that does not target the workload, or may not: a ledger can name any config', () => {
    const rules = configFacts({ alerts: [byUrl('https://a.test')] });
    const target = targetFacts({ namespace: 'evil' });
    const abroad = configFacts({ name: 'abroad', targets: [target], alerts: [byUrl('https://b.test')] });
    const annotations = { [FIXED_ANNOTATIONS.allowFrom]: 'shop' };
    const toldOf = (namespace: string, evil: Parameters<typeof namespaceFacts>[0]): string[] => {
      const world = fakeWorld({ configs: [rules, abroad], namespaces: [namespaceFacts(evil)] });
      const workload = { ...message().workload, namespace };
      const { of } = setUp({ options: { world } });
      return of('reloaded', ['shop/rules', 'shop/abroad'], workload).map(({ id }) => id);
    };
    expect(toldOf('shop', { name: 'evil' })).toEqual(['slack of shop/rules']);
    expect(toldOf('evil', { name: 'evil' })).toEqual([]);
    expect(toldOf('evil', { name: 'evil', annotations })).toEqual(['slack of shop/abroad']);
  });

  test('only receivers of that event', () => {
    const { of } = setUp({
      channels: [byUrl('https://a.test', { events: ['failed'] })],
      global: { events: ['reloaded'] },
    });
    expect(of('reloaded').map(({ id }) => id)).toEqual(['global']);
    expect(of('failed').map(({ id }) => id)).toEqual(['slack of shop/rules']);
    expect(of('deferred')).toEqual([]);
  });

  test.each([
    ['slack', 'slack'],
    ['teams', 'teams'],
    ['gchat', 'googleChat'],
    ['webhook', 'customWebhook'],
    ['raw', 'raw'],
  ] as const)('the sink %s is counted as %s', (sink, label) => {
    expect(setUp({ global: { sink } }).of()[0]?.channel).toBe(label);
  });
});

describe('The URL', () => {
  test('is the one of the channel', async () => {
    expect(await setUp({ channels: [byUrl('https://a.test/1')] }).url()).toBe('https://a.test/1');
  });

  test('is read from the Secret each time, blanks around it do not count', async () => {
    const { url, asked } = setUp({ channels: [inSecret('hook')], secret: { hook: ' https://a.test/1\n' } });
    expect(await url()).toBe('https://a.test/1');
    await url();
    expect(asked).toEqual(['shop/hooks', 'shop/hooks']);
  });

  const failureOf = async (parts: Parts): Promise<DeliveryError> =>
    setUp({ channels: [inSecret()], ...parts })
      .url()
      .then(
        () => Promise.reject(new Error('there was a URL')),
        (reason: unknown) => reason as DeliveryError,
      );

  test.each<[string, Parts, string, boolean]>([
    ['a missing key', { secret: { other: 'T0K3N' } }, 'it has no key "url"', false],
    [
      'a key that everything inherits',
      { channels: [inSecret('constructor')] },
      'it has no key "constructor"',
      false,
    ],
    ['a value that is no URL', { secret: { url: 'T0K3N' } }, 'what stands there is no URL', false],
    ['another scheme', { secret: { url: 'file:///T0K3N' } }, 'begins with http:// or https://', false],
    [
      'a missing Secret',
      { secret: notFound() },
      'Secret shop/hooks cannot be used: it does not exist',
      false,
    ],
    [
      'a forbidden Secret',
      { secret: forbidden() },
      'may not be read: let the operator get Secrets in namespace shop',
      false,
    ],
    [
      'an API server that is away',
      { secret: new Error('connect T0K3N') },
      'Secret shop/hooks could not be read',
      true,
    ],
    [
      'another namespace',
      { channels: [inSecret('url', 'ops')], secret: { url: 'https://T0K3N' } },
      'Namespace ops does not allow',
      false,
    ],
  ])('%s is logged without anything of the Secret', async (_, parts, text, retry) => {
    const { message, told, retry: again } = await failureOf(parts);
    expect(message).toContain(text);
    expect(`${message} ${told}`).not.toContain('T0K3N');
    expect(again).toBe(retry);
  });

  test('that cannot be read has the same message, whether Secret, key or value is missing', async () => {
    const cases: readonly Parts[] = [
      { secret: notFound() },
      { secret: forbidden() },
      { secret: { other: 'x' } },
      { secret: { url: 'x' } },
      { secret: { url: 'file:///x' } },
    ];
    const told = new Set<string>();
    for (const parts of cases) told.add((await failureOf(parts)).told);
    expect([...told]).toEqual([
      'no URL can be read from key "url" of Secret shop/hooks: it must exist, hold a URL that begins with http:// or https://, and be readable for the operator',
    ]);
  });

  test('may come from another namespace that allows it', async () => {
    const annotations = { [FIXED_ANNOTATIONS.allowFrom]: 'shop' };
    const configs = [configFacts({ alerts: [inSecret('url', 'ops')] })];
    const world = fakeWorld({ configs, namespaces: [namespaceFacts({ name: 'ops', annotations })] });
    const { url, asked } = setUp({ secret: { url: 'https://a.test/1' }, options: { world } });
    expect(await url()).toBe('https://a.test/1');
    expect(asked).toEqual(['ops/hooks']);
  });
});

describe('The words of the global receiver', () => {
  const body = async (global: Partial<GlobalAlertSettings>, url = 'https://a.test') =>
    (await setUp({ global }).of()[0]?.format(new URL(url))(alertOf(message())))?.text;

  test.each<[string, Partial<GlobalAlertSettings>, string]>([
    [
      "Stakater's",
      { words: 'stakater', sink: 'gchat' },
      '{"text":"Reloader detected changes in *credentials*',
    ],
    ['raw', { words: 'cards', sink: 'raw' }, 'Reloader detected changes in credentials of type SECRET'],
    ['our own', { sink: 'webhook' }, '{"attachments":[{"fallback":"🔄 Workload Reloaded'],
    [
      'a template',
      { words: 'stakater', sink: 'gchat', template: 'hi {{ .workload.name }}' },
      '{"text":"hi web"}',
    ],
    ['a template as raw text', { sink: 'raw', template: 'hi {{ .workload.name }}' }, 'hi web'],
    ['an old connector', { sink: 'teams', format: 'messageCard' }, '{"@type":"MessageCard"'],
    ['cards for Google', { sink: 'gchat' }, '{"fallbackText"'],
  ])('%s', async (_, global, text) => {
    expect(await body(global)).toContain(text);
  });
});

function notFound(): Error {
  return Object.assign(Object.create(NotFoundError.prototype) as Error, { message: 'T0K3N' });
}

function forbidden(): Error {
  return Object.assign(Object.create(ForbiddenError.prototype) as Error, { message: 'T0K3N' });
}
