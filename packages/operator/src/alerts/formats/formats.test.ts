import { describe, expect, test } from 'vitest';
import { AT, alertOf, deferral, failure, manyReloaded, message } from '../alert.test.support.ts';
import type { Alert, Format } from '../message.ts';
import {
  ADAPTIVE_CARD_MESSAGE,
  CARDS_V2,
  MESSAGE_CARD,
  SLACK_ATTACHMENTS,
} from './documented.test.support.ts';
import { googleChatFormat } from './google-chat.ts';
import { misfits, type Schema } from './schema.test.support.ts';
import { slackFormat } from './slack.ts';
import { adaptiveCardFormat, messageCardFormat } from './teams.ts';

const hostile = '<!channel> & <b>"x"</b>\n{{ . }}';
const ALERTS: readonly (readonly [string, Alert])[] = [
  ['success', alertOf(message({ configs: ['shop/rules'] }))],
  ['failure', alertOf(failure())],
  ['a deferral', alertOf(deferral())],
  ['a deferral without an end', alertOf(deferral(undefined))],
  ['a retry after a revert', alertOf(message({ resources: [] }))],
  ['an unknown strategy', alertOf(message({ strategy: undefined }))],
  ['hostile texts', { messages: [failure(hostile)], additionalInfo: hostile }],
  ['a group', manyReloaded(3)],
  ['a large group', { ...manyReloaded(250), additionalInfo: 'prod' }],
  ['an endless error', alertOf(failure('x'.repeat(100_000)))],
];
const FORMATS: readonly (readonly [string, Format, Schema])[] = [
  ['Slack attachments', slackFormat, SLACK_ATTACHMENTS],
  ['message cards', messageCardFormat, MESSAGE_CARD],
  ['Adaptive Cards', adaptiveCardFormat, ADAPTIVE_CARD_MESSAGE],
  ['cardsV2', googleChatFormat, CARDS_V2],
];

describe.each(FORMATS)('%s', (_, format, schema) => {
  test.each(ALERTS)('%s has the documented shape', (_name, alert) => {
    const { contentType, text } = format(alert);
    expect(contentType).toBe('application/json');
    expect(misfits(JSON.parse(text), schema)).toEqual([]);
    // The smallest limit of all channels: a message to Teams.
    expect(Buffer.byteLength(text)).toBeLessThan(28_000);
  });

  test('names workload, namespace, resource, strategy, time, config, additional text and error', () => {
    const alert = { ...alertOf({ ...failure('no quota'), configs: ['shop/rules'] }), additionalInfo: 'prod' };
    const { text } = format(alert);
    for (const part of [
      'Deployment/web',
      '"shop"',
      'Secret/credentials',
      'env-vars',
      'shop/rules',
      'prod',
      'no quota',
    ])
      expect(text).toContain(part);
    expect(text).toMatch(new RegExp(`2030-01-01T00:00:00Z|"ts":${AT / 1000}\\b`));
  });

  test('a group names ten workloads and counts the others', () => {
    const { text } = format(manyReloaded(25));
    expect(text.match(/web-\d+/g)?.slice(0, 10)).toEqual(
      Array.from({ length: 10 }, (_each, index) => `web-${index}`),
    );
    expect(text).toContain('25 Workloads Reloaded');
    expect(text).toContain('and 15 more: a message names at most 10 workloads');
    expect(text).not.toContain('web-10');
  });

  test('a group keeps strategy, config, cause and the whole error of each workload', () => {
    const error = (index: number): string => `${index}: ${'quota exceeded, '.repeat(50)}end-${index}`;
    const messages = Array.from({ length: 3 }, (_each, index) => ({
      ...failure(error(index)),
      workload: { kind: 'Deployment' as const, namespace: 'shop', name: `web-${index}` },
      resources: [{ kind: 'Secret' as const, namespace: 'shop', name: `secret-${index}` }],
      strategy: index === 0 ? 'restart' : 'env-vars',
      configs: [`shop/config-${index}`],
    }));
    const [first, ...others] = messages;
    if (!first) throw new Error('none');
    const { text } = format({ messages: [first, ...others], additionalInfo: undefined });
    for (const [index] of messages.entries()) {
      for (const part of [`web-${index}`, `Secret/secret-${index}`, `shop/config-${index}`, error(index)])
        expect(text).toContain(part);
    }
    expect(text).toContain('strategy restart');
    expect(text).toContain('strategy env-vars');
  });

  test('a shortened text says how much is missing', () => {
    const messages = Array.from({ length: 12 }, (_each, index) => ({
      ...failure(`${index} ${'<&"x">'.repeat(1_000)}`),
      workload: { kind: 'Deployment' as const, namespace: 'shop', name: `web-${index}` },
    }));
    const [first, ...others] = messages;
    if (!first) throw new Error('none');
    const { text } = format({ messages: [first, ...others], additionalInfo: undefined });
    const named = new Set(text.match(/web-\d+/g)).size;
    expect(named).toBeGreaterThan(1);
    expect(text).toContain(`and ${12 - named} more: a message names at most 10 workloads and has 20 KB`);
    expect(text).toContain('(the first 1000 of 6002 characters)');
    expect(Buffer.byteLength(text)).toBeLessThan(28_000);
  });
});

test('Slack gets the body of the earlier operator', () => {
  const alert = { ...alertOf(message()), additionalInfo: 'prod' };
  expect(JSON.parse(slackFormat(alert).text)).toEqual({
    attachments: [
      {
        fallback: '🔄 Workload Reloaded: Successfully reloaded Deployment/web due to Secret change',
        color: '#36a64f',
        title: '🔄 Workload Reloaded',
        text: 'Successfully reloaded Deployment/web due to Secret change',
        fields: [
          { title: 'Workload', value: 'Deployment/web', short: true },
          { title: 'Namespace', value: 'shop', short: true },
          { title: 'Resource', value: 'Secret/credentials', short: true },
          { title: 'Strategy', value: 'env-vars', short: true },
          { title: 'Additional Info', value: 'prod', short: true },
        ],
        footer: 'Reloader Operator',
        ts: AT / 1000,
      },
    ],
  });
});

test.each([
  ['green', message(), '#36a64f', '00ff00', 'Good'],
  ['red', failure(), '#ff0000', 'ff0000', 'Attention'],
  ['yellow', deferral(), '#ffcc00', 'ffcc00', 'Warning'],
])('the colour is %s', (_, each, slack, theme, card) => {
  const alert = alertOf(each);
  expect(slackFormat(alert).text).toContain(`"color":"${slack}"`);
  expect(messageCardFormat(alert).text).toContain(`"themeColor":"${theme}"`);
  expect(adaptiveCardFormat(alert).text).toContain(`"color":"${card}"`);
});

test('several causes are all named, those of other namespaces with theirs', () => {
  const alert = alertOf(
    message({
      resources: [
        { kind: 'ConfigMap', namespace: 'shop', name: 'settings' },
        { kind: 'Secret', namespace: 'ops', name: 'ca' },
      ],
    }),
  );
  const { text } = slackFormat(alert);
  expect(text).toContain('due to ConfigMap and Secret change');
  expect(text).toContain('"ConfigMap/settings, Secret/ops/ca"');
});

test('a deferral says why and until when', () => {
  expect(JSON.parse(slackFormat(alertOf(deferral())).text).attachments[0].text).toBe(
    'Holding back a reload of Deployment/web until 2030-01-01T00:05:00Z (paused): the pause of 5m is not over',
  );
});
