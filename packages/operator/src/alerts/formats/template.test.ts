import { describe, expect, test } from 'vitest';
import { TemplateError } from '../../template/index.ts';
import { inlineRenderer } from '../../template/renderer.ts';
import { alertOf, deferral, failure, manyReloaded, message } from '../alert.test.support.ts';
import { chooseFormat, type FormatChoice } from './choose.ts';
import { ADAPTIVE_CARD_MESSAGE } from './documented.test.support.ts';
import { misfits } from './schema.test.support.ts';
import { TEXT_BODIES, templateFormat } from './template.ts';

const user = (source: string) => ({ source, tenant: 'shop', renderer: inlineRenderer });
const rendered = (template: string, alert = alertOf(message())) =>
  templateFormat(user(template), TEXT_BODIES.customWebhook)(alert);

describe('A template', () => {
  test.each([
    [
      '{{ .title }}: {{ .text }}',
      '🔄 Workload Reloaded: Successfully reloaded Deployment/web due to Secret change',
    ],
    ['{{ .workload.kind }} {{ .workload.namespace }}/{{ .workload.name }}', 'Deployment shop/web'],
    ['{{ range .resources }}{{ .kind }}/{{ .name }};{{ end }}', 'Secret/credentials;'],
    ['{{ .resource.name }} {{ .strategy }} {{ .time }}', 'credentials env-vars 2030-01-01T00:00:00Z'],
    ['{{ if .error }}bad{{ else }}good{{ end }} {{ .event }} {{ .color }}', 'good reloaded good'],
  ])('%s reads the message', async (template, text) => {
    expect(await rendered(template)).toEqual({ contentType: 'text/plain', text });
  });

  test('reads errors, deferrals, configs and groups', async () => {
    expect((await rendered('{{ .error }}', alertOf(failure('no quota')))).text).toBe('no quota');
    expect((await rendered('{{ .reason }} {{ .until }}', alertOf(deferral()))).text).toBe(
      'paused 2030-01-01T00:05:00Z',
    );
    expect((await rendered('{{ .config }}', alertOf(message({ configs: ['shop/rules'] })))).text).toBe(
      'shop/rules',
    );
    expect(
      (await rendered('{{ .count }}:{{ range .alerts }} {{ .workload.name }}{{ end }}', manyReloaded(3)))
        .text,
    ).toBe('3: web-0 web-1 web-2');
    expect(
      (await rendered('{{ .additionalInfo }}', { ...alertOf(message()), additionalInfo: 'prod' })).text,
    ).toBe('prod');
  });

  test('that gives a JSON object is the whole body', async () => {
    expect(await rendered('{"summary": {{ .text | toJson }}, "n": {{ .count }}}')).toEqual({
      contentType: 'application/json',
      text: '{"summary": "Successfully reloaded Deployment/web due to Secret change", "n": 1}',
    });
  });

  test.each(['{ not json', '[1]', '"text"', '12'])('that gives %s is text', async (template) => {
    expect(await rendered(template)).toEqual({ contentType: 'text/plain', text: template });
  });

  test('that goes wrong with a message says where', async () => {
    await expect(rendered('{{ index .resources 7 }}')).rejects.toThrow(TemplateError);
  });
});

describe('Text from a template takes the simplest shape of its channel', () => {
  const of = (choice: Partial<FormatChoice>) => {
    const format = chooseFormat(
      { channel: 'slack', template: user('hello'), teams: undefined, ...choice },
      new URL('https://a.test'),
    );
    return format(alertOf(message()));
  };

  test.each([
    ['Slack', { channel: 'slack' }, '{"text":"hello"}'],
    ['Google Chat', { channel: 'googleChat' }, '{"text":"hello"}'],
    ['an old connector', { channel: 'teams', teams: 'messageCard' }, '{"text":"hello"}'],
    ['a custom webhook', { channel: 'customWebhook' }, 'hello'],
  ] as const)('%s', async (_, choice, text) => {
    expect((await of(choice)).text).toBe(text);
  });

  test('Teams', async () => {
    const body: unknown = JSON.parse((await of({ channel: 'teams' })).text);
    expect(misfits(body, ADAPTIVE_CARD_MESSAGE)).toEqual([]);
    expect(JSON.stringify(body)).toContain('"text":"hello"');
  });
});

describe('Teams', () => {
  test.each([
    ['https://outlook.office.com/webhook/1', undefined, 'MessageCard'],
    ['https://outlook.office365.com/webhook/1', undefined, 'MessageCard'],
    ['https://acme.webhook.office.com/webhookb2/1', undefined, 'MessageCard'],
    ['https://prod-1.westeurope.logic.azure.com/workflows/1', undefined, 'AdaptiveCard'],
    ['https://webhook.office.com.evil.test/1', undefined, 'AdaptiveCard'],
    ['https://acme.webhook.office.com/webhookb2/1', 'adaptiveCard', 'AdaptiveCard'],
    ['https://relay.test/1', 'messageCard', 'MessageCard'],
  ] as const)('%s with format %s gets a %s', async (url, teams, type) => {
    const format = chooseFormat({ channel: 'teams', template: undefined, teams }, new URL(url));
    expect((await format(alertOf(message()))).text).toContain(`ype":"${type}"`);
  });
});

test('a custom webhook gets the body of Slack', () => {
  const choice = { template: undefined, teams: undefined };
  const url = new URL('https://a.test');
  const [custom, slack] = (['customWebhook', 'slack'] as const).map((channel) =>
    chooseFormat({ ...choice, channel }, url)(alertOf(message())),
  );
  expect(custom).toEqual(slack);
});
