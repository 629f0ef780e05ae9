import { describe, expect, test } from 'vitest';
import { DEFAULT_ANNOTATIONS } from '../model/annotations.ts';
import { configFacts } from './config-projection.ts';

function read(alerts: unknown) {
  const metadata = { name: 'rules', namespace: 'shop', uid: 'u1', resourceVersion: '4' };
  const facts = configFacts({ metadata, spec: { alerts } }, DEFAULT_ANNOTATIONS);
  const channels = facts.alerts.map(({ url, ...rest }) => ({ url: url?.reveal(), ...rest }));
  return { channels, problems: facts.problems.map(({ field, message }) => `${field} ${message}`), facts };
}

const EVERYTHING = ['reloaded', 'failed', 'deferred'];
const plain = {
  url: undefined,
  secretRef: undefined,
  events: EVERYTHING,
  template: undefined,
  format: undefined,
};

describe('Channels of a ReloaderConfig', () => {
  test('all four, each by URL or by Secret', () => {
    const { channels, problems } = read({
      slack: { secretRef: { name: 'hooks', key: 'slack', namespace: 'ops' } },
      teams: { url: 'https://teams.test/1', format: 'messageCard' },
      googleChat: { secretRef: { name: 'chat' }, events: ['failed'] },
      customWebhook: { url: 'https://hooks.test/2', template: '{{ .text }}' },
    });
    expect(problems).toEqual([]);
    expect(channels).toEqual([
      { ...plain, channel: 'slack', secretRef: { namespace: 'ops', name: 'hooks', key: 'slack' } },
      { ...plain, channel: 'teams', url: 'https://teams.test/1', format: 'messageCard' },
      {
        ...plain,
        channel: 'googleChat',
        secretRef: { namespace: 'shop', name: 'chat', key: 'url' },
        events: ['failed'],
      },
      { ...plain, channel: 'customWebhook', url: 'https://hooks.test/2', template: '{{ .text }}' },
    ]);
  });

  test('a url wins, unless it is empty', () => {
    const secretRef = { name: 'hooks' };
    expect(read({ slack: { url: 'https://a.test', secretRef } }).channels).toMatchObject([
      { url: 'https://a.test', secretRef: undefined },
    ]);
    expect(read({ slack: { url: '', secretRef } }).channels).toMatchObject([
      { url: undefined, secretRef: { name: 'hooks' } },
    ]);
  });

  test.each([
    [
      'nothing to send to',
      { slack: {} },
      ['spec.alerts.slack.secretRef is required where there is no url'],
      0,
    ],
    [
      'a Secret without a name',
      { slack: { secretRef: {} } },
      ['spec.alerts.slack.secretRef.name is required'],
      0,
    ],
    [
      'an event that does not exist',
      { slack: { url: 'https://a.test', events: ['failed', 'restarted'] } },
      ['spec.alerts.slack.events must be some of reloaded, failed, deferred'],
      1,
    ],
    [
      'a template that does not compile',
      { teams: { url: 'https://a.test', template: '{{ .text' } },
      [expect.stringMatching(/^spec\.alerts\.teams\.template template:1:/)],
      1,
    ],
    [
      'a channel that is no object',
      { slack: 7 },
      [expect.stringContaining('spec.alerts.slack must be an object')],
      0,
    ],
    ['alerts that are a list', [], [expect.stringContaining('spec.alerts must be an object')], 0],
  ])('%s is a problem with its path', (_, alerts, problems, channels) => {
    const got = read(alerts);
    for (const problem of problems) expect(got.problems).toContainEqual(problem);
    expect(got.channels).toHaveLength(channels);
  });

  test('an invalid channel does not affect the others', () => {
    const { channels } = read({ slack: {}, teams: { url: 'https://teams.test/1' } });
    expect(channels.map(({ channel }) => channel)).toEqual(['teams']);
  });

  test('a URL is hidden in logs and JSON', () => {
    const { facts } = read({ slack: { url: 'https://hooks.test/T0K3N' } });
    expect(JSON.stringify(facts)).not.toContain('T0K3N');
    expect(`${facts.alerts[0]?.url}`).toBe('[hidden]');
  });
});
