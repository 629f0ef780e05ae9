/** Rules and contents for tests. */
import type { ContentRule, ContentVerdict } from '../reloader/model/content-rule.ts';
import { findingText } from '../reloader/model/content-rule.ts';
import { checkContent } from './check.ts';
import { contentOf } from './content.ts';
import { contentRule } from './rule.ts';

/** Valid from 2026 to 2126. */
export const CERTIFICATE = `-----BEGIN CERTIFICATE-----
MIIBezCCASGgAwIBAgIUVwXrWQKyQKjtAkZorXCmP6Abk4UwCgYIKoZIzj0EAwIw
EjEQMA4GA1UEAwwHZXhhbXBsZTAgFw0yNjExMTYxOTE0MDhaGA8yMTI2MTAyMzE5
MTQwOFowEjEQMA4GA1UEAwwHZXhhbXBsZTBZMBMGByqGSM49AgEGCCqGSM49AwEH
A0IABOMmm3O6yFcLX4qKjQdNcd4mkDbVjlLTiP0ocuq7nilOqk4MrvfKooGReJE7
eoSmE8KrsQU7RUDl3E84yZAS0LSjUzBRMB0GA1UdDgQWBBRQVyLdeT1VuBMvIWUR
xWmwhBD94jAfBgNVHSMEGDAWgBRQVyLdeT1VuBMvIWURxWmwhBD94jAPBgNVHRMB
Af8EBTADAQH/MAoGCCqGSM49BAMCA0gAMEUCIQDiDWqRAKHsoXUkZL4dBIDtRmSs
xOEKPYV+Xr42y3zAxgIgKcGSPLu4lAt/C6pffU+kWmLhdNXs2TAJ3NbxXQn8uaw=
-----END CERTIFICATE-----
`;
export const CERTIFICATE_ENDS = Date.parse('2126-10-23T19:14:08Z');
export const NOW = Date.parse('2030-01-01T00:00:00Z');

export function ruleWith(rule: Partial<ContentRule>): ContentRule {
  return contentRule({ from: 'test', requiredKeys: [], ...rule });
}

export function verdictOn(
  data: Readonly<Record<string, string | Uint8Array>>,
  rules: readonly ContentRule[],
  now = NOW,
): ContentVerdict {
  const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')]);
  return checkContent(contentOf(rules, {}, Object.fromEntries(encoded)), rules, now);
}

/** The findings for one value as text, without the rule's origin. */
export function found(
  value: string | Uint8Array,
  rule: Partial<ContentRule> & Pick<ContentRule, 'format'>,
  now = NOW,
): string[] {
  const { findings } = verdictOn({ a: value }, [ruleWith({ key: 'a', ...rule })], now);
  return findings.map((finding) =>
    findingText(finding)
      .replace(/^key a(, |: )/, '')
      .replace(/ \(test\)$/, ''),
  );
}
