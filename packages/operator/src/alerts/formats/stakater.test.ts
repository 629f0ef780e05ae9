import { describe, expect, test } from 'vitest';
import { alertOf, deferral, failure, manyReloaded, message } from '../alert.test.support.ts';
import { stakaterFormat } from './stakater.ts';

const TEXT =
  'Reloader detected changes in *credentials* of type *SECRET* in namespace *shop*. Hence reloaded *web* of type *Deployment* in namespace *shop*';
const PLAIN = TEXT.replaceAll('*', '');

describe("Stakater's bodies", () => {
  test.each([
    [
      'slack',
      'application/json',
      `{"attachments":[{"text":"${TEXT}","color":"good","author_name":"Reloader"}]}`,
    ],
    [
      'webhook',
      'application/json',
      `{"attachments":[{"text":"${TEXT}","color":"good","author_name":"Reloader"}]}`,
    ],
    ['teams', 'application/json', `{"text":"${TEXT}"}`],
    ['gchat', 'application/json', `{"text":"${TEXT}"}`],
    ['raw', 'text/plain', PLAIN],
  ] as const)('%s, byte for byte', (sink, contentType, text) => {
    expect(stakaterFormat(sink)(alertOf(message()))).toEqual({ contentType, text });
  });

  test.each([
    ['ConfigMap', 'CONFIGMAP'],
    ['SecretProviderClass', 'SECRETPROVIDERCLASS'],
  ] as const)('a %s is written %s', (kind, type) => {
    const alert = alertOf(message({ resources: [{ kind, namespace: 'shop', name: 'a' }] }));
    expect(stakaterFormat('raw')(alert).text).toContain(`a of type ${type} in namespace shop`);
  });

  test('the additional text stands in front', () => {
    const alert = { ...alertOf(message()), additionalInfo: 'prod *eu*' };
    expect(stakaterFormat('gchat')(alert).text).toBe(`{"text":"prod *eu* : ${TEXT}"}`);
    expect(stakaterFormat('raw')(alert).text).toBe(`prod eu : ${PLAIN}`);
  });

  test("Go's escapes in JSON", () => {
    const alert = { ...alertOf(message()), additionalInfo: '<a> & b' };
    expect(stakaterFormat('teams')(alert).text).toContain('"text":"\\u003ca\\u003e \\u0026 b : ');
  });

  test('failures and deferrals, where they are asked for', () => {
    expect(stakaterFormat('raw')(alertOf(failure('no quota'))).text).toBe(
      'Reloader detected changes in credentials of type SECRET in namespace shop. Failed to reload web of type Deployment in namespace shop: no quota',
    );
    expect(stakaterFormat('slack')(alertOf(failure())).text).toContain('"color":"danger"');
    expect(stakaterFormat('raw')(alertOf(deferral())).text).toContain(
      'Holding back the reload of web of type',
    );
  });

  test('a group is one sentence for each, up to ten', () => {
    const lines = stakaterFormat('raw')(manyReloaded(12)).text.split('\n');
    expect(lines).toHaveLength(11);
    expect(lines[9]).toContain('Hence reloaded web-9 of type Deployment');
    expect(lines[10]).toBe('and 2 more');
  });
});
