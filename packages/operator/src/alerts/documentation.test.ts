/** Checks the statements of `docs/alerting.md`. */
import { readFileSync } from 'node:fs';
import { startMinicluster } from '@reloader/minicluster';
import { createClient, createRegistry, kinds } from '@reloader/runtime';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { applyCrds } from '../crds/apply.ts';
import { type ReloaderConfigObject, ReloaderConfigs } from '../crds/reloader-config.ts';
import { DEFAULT_ANNOTATIONS } from '../reloader/model/annotations.ts';
import { configFacts } from '../reloader/project/config-projection.ts';
import { ENVIRONMENT } from '../settings/environment.ts';
import { FLAGS } from '../settings/flags.ts';
import { inlineRenderer } from '../template/renderer.ts';
import { alertOf, failure, manyReloaded } from './alert.test.support.ts';
import { createAlertMetrics } from './delivery/metrics.ts';
import { TEXT_BODIES, templateData, templateFormat } from './formats/template.ts';

const page = readFileSync(new URL('../../../../docs/alerting.md', import.meta.url), 'utf8');
const blocks = (language: string): string[] =>
  [...page.matchAll(new RegExp(`\`\`\`${language}[^\\n]*\\n([\\s\\S]*?)\`\`\``, 'g'))].map(
    ([, text = '']) => text,
  );

let cluster: Awaited<ReturnType<typeof startMinicluster>>;
beforeAll(async () => {
  cluster = await startMinicluster({ workloads: false });
});
afterAll(() => cluster.stop());

describe('The page about alerts', () => {
  test('has only examples that the API server takes and the operator understands', async () => {
    const client = createClient({ transport: cluster.transport() });
    await applyCrds(client);
    await client.create(kinds.Namespace, { metadata: { name: 'shop' } });
    const examples = blocks('yaml').map((text) => parse(text) as ReloaderConfigObject);
    expect(examples).toHaveLength(3);
    for (const example of examples) {
      const stored = await client.create(ReloaderConfigs, example, {
        dryRun: true,
        fieldValidation: 'Strict',
      });
      const { alerts, problems } = configFacts(stored, DEFAULT_ANNOTATIONS);
      expect(problems).toEqual([]);
      for (const { template } of alerts) {
        if (template === undefined) continue;
        const { contentType } = await templateFormat(
          { source: template, tenant: '', renderer: inlineRenderer },
          TEXT_BODIES.customWebhook,
        )(alertOf(failure('say "no"')));
        expect(contentType).toBe('application/json');
      }
    }
    await client.close();
  });

  test('has a template that works', async () => {
    const [source = ''] = blocks('gotemplate');
    const template = { source, tenant: '', renderer: inlineRenderer };
    const { text } = await templateFormat(template, TEXT_BODIES.customWebhook)(manyReloaded(2));
    expect(text).toBe(
      '🔄 2 Workloads Reloaded\n- shop/web-0 because of credentials\n- shop/web-1 because of credentials\n',
    );
  });

  test('names every flag and variable of alerts, and none that does not exist', () => {
    const known = new Set([...Object.keys(FLAGS).map((name) => `--${name}`), ...Object.keys(ENVIRONMENT)]);
    const named = new Set(
      page.match(/--[a-z][-a-z]+|ALERT_[A-Z_]+/g)?.filter((name) => name !== '--from-literal'),
    );
    expect([...named].filter((name) => !known.has(name))).toEqual([]);
    const wanted = [...known].filter((name) => /^(--alert-|ALERT_)/.test(name));
    expect(wanted.filter((name) => !named.has(name))).toEqual([]);
  });

  test('names every value of a template and every metric', () => {
    for (const name of Object.keys(templateData(alertOf(failure()))))
      expect(page).toMatch(new RegExp(`\`\\.${name}[\`.]`));
    const metrics = createRegistry();
    createAlertMetrics(metrics, () => 0);
    for (const [, name] of metrics.render().matchAll(/# TYPE (\S+)/g)) expect(page).toContain(`\`${name}`);
  });
});
