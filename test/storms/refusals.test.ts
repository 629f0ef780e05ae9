/** C6: conflicts on every second write, policies that reject, exhausted quotas. */
import { describe, expect, test } from 'vitest';
import { DIGEST_KEY } from '../reloader/names.ts';
import { inStorm } from './play.ts';
import { conflict, exceededQuota, forbiddenByPolicy, rejectedByWebhook, unavailable } from './refusals.ts';
import { isWrite } from './sent.ts';
import { type Asked, NAMESPACE } from './storm.ts';

const auto = { auto: 'true' };
const uses = [{ secret: 'db' }] as const;

const isReloadOf =
  (name: string) =>
  ({ verb, name: target, body }: Asked): boolean =>
    verb === 'patch' && target === name && /"seq\\":[1-9]/.test(JSON.stringify(body));

describe('C6: conflicts', () => {
  test.each([2, 3])('on every write but each %i-th: every change is rolled out, once', (nth) => {
    let writes = 0;
    const refuse = (asked: Asked) => {
      if (!isWrite(asked) || asked.verb === 'create') return undefined;
      writes += 1;
      return writes % nth === 0 ? undefined : conflict(asked);
    };
    return inStorm({ seed: 1, refuse }, async (s) => {
      await s.secret('db', { password: 'one' });
      const kinds = ['Deployment', 'StatefulSet', 'DaemonSet'];
      const refs = await Promise.all(
        kinds.map((kind) => s.workload(kind, kind.toLowerCase(), { annotations: auto, uses })),
      );
      const target = await s.deployment('target', { uses });
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'target' }],
      });
      await s.operator();
      await s.adopted(...refs, target);
      for (const [index, password] of ['two', 'three'].entries()) {
        await s.secret('db', { password });
        await s.rolled(...[...refs, target].map((ref) => [ref, index + 1] as const));
      }
      await s.stage.quiet(60_000);
      expect(s.status(config).reloadCount).toBe(2);
    });
  });

  test('on the first note of a workload that opts in: what changed before is adopted all the same', () => {
    let conflicts = 2;
    const isNote = (asked: Asked): boolean =>
      isWrite(asked) && JSON.stringify(asked.body ?? '').includes('"name":"reloader-notes-');
    const refuse = (asked: Asked) => (isNote(asked) && conflicts-- > 0 ? conflict(asked) : undefined);
    return inStorm({ seed: 1, refuse }, async (s) => {
      await s.secret('db', { password: 'one' });
      await s.stage.quiet(5_000);
      const web = await s.deployment('web', { uses });
      await s.stage.quiet(5_000);
      // The creation of the key is the time of the installation: this makes the workload older than that.
      await s.remove('Secret', DIGEST_KEY, NAMESPACE);
      await s.operator();
      await s.stage.quiet(5_000);
      await s.secret('db', { password: 'two' });
      await s.stage.quiet(5_000);
      await s.annotate(web, auto);
      await s.adopted(web);
      expect(conflicts).toBeLessThanOrEqual(0);
      await s.rolled([web, 0]);
      await s.secret('db', { password: 'three' });
      await s.rolled([web, 1]);
    });
  });
});

describe('C6: policies', () => {
  test.each([
    { who: 'a webhook', answer: rejectedByWebhook },
    { who: 'an admission policy', answer: forbiddenByPolicy },
  ])(
    '$who rejects one workload: it is reported, retried with backoff, and affects no other',
    ({ answer }) => {
      let rejects = true;
      const isReload = isReloadOf('held');
      const refuse = (asked: Asked) => (rejects && isReload(asked) ? answer(asked) : undefined);
      return inStorm({ seed: 1, refuse }, async (s, storm) => {
        await s.secret('db', { password: 'one' });
        const held = await s.deployment('held', { annotations: auto, uses });
        const free = await s.deployment('free', { annotations: auto, uses });
        await s.operator();
        await s.adopted(held, free);
        await s.secret('db', { password: 'two' });
        await s.rolled([held, 0], [free, 1]);
        await s.stage.until('a Warning', () =>
          s.events(held).some(({ type, message }) => type === 'Warning' && message.includes('Fridays')),
        );
        await storm.quiet(600_000);
        const tries = storm.sent.filter(({ name, code }) => name === 'held' && code >= 400).length;
        expect(tries, 'no storm of its own').toBeLessThan(30);
        await s.secret('db', { password: 'three' });
        await s.rolled([held, 0], [free, 2]);
        rejects = false;
        await storm.quiet(600_000);
        await s.rolled([held, 1], [free, 2]);
      });
    },
  );

  test('every write to it is rejected: its content is still recorded, and a change is still detected', () => {
    let rejects = true;
    const refuse = (asked: Asked) =>
      rejects && asked.verb === 'patch' && asked.resource === 'deployments'
        ? rejectedByWebhook(asked)
        : undefined;
    return inStorm({ seed: 1, refuse }, async (s, storm) => {
      await s.secret('db', { password: 'one' });
      const web = await s.deployment('web', { annotations: auto, uses });
      await s.operator();
      await storm.quiet(30_000);
      expect(s.record(web)?.seq).toBe(0);
      await s.secret('db', { password: 'two' });
      await storm.quiet(30_000);
      rejects = false;
      await storm.quiet(600_000);
      await s.rolled([web, 1]);
    });
  });
});

describe('C6: quotas', () => {
  test('a CronJob whose Job is refused is reported, and runs once when it is allowed', () => {
    let full = true;
    const refuse = (asked: Asked) =>
      full && asked.verb === 'create' && asked.resource === 'jobs' ? exceededQuota(asked) : undefined;
    return inStorm({ seed: 1, refuse }, async (s, storm) => {
      await s.secret('db', { password: 'one' });
      const nightly = await s.workload('CronJob', 'nightly', { annotations: auto, uses });
      const web = await s.deployment('web', { annotations: auto, uses });
      await s.operator();
      await s.adopted(nightly, web);
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1]);
      await s.stage.until('a Warning', () => s.events(nightly).some(({ type }) => type === 'Warning'));
      expect(s.jobsOf(nightly)).toEqual([]);
      full = false;
      await storm.quiet(600_000);
      expect(s.jobsOf(nightly)).toHaveLength(1);
    });
  });

  test('a Job that cannot be re-created at once is not lost', () => {
    let full = true;
    const refuse = (asked: Asked) =>
      full && asked.verb === 'create' && asked.resource === 'jobs' && !asked.query.has('dryRun')
        ? exceededQuota(asked)
        : undefined;
    return inStorm({ seed: 1, refuse }, async (s, storm) => {
      await s.secret('db', { password: 'one' });
      const once = await s.workload('Job', 'once', { annotations: auto, uses });
      await s.operator();
      await s.adopted(once);
      await s.secret('db', { password: 'two' });
      await storm.quiet(60_000);
      expect(s.exists(once)).toBe(false);
      full = false;
      await storm.quiet(600_000);
      expect(s.exists(once)).toBe(true);
      await s.rolled([once, 1]);
    });
  });
});

describe('C6: a server that fails', () => {
  test('optional requests at the start are retried, and their failure does not end the operator', () => {
    let failures = 3;
    const refuse = (asked: Asked) => {
      const looksForJobs =
        asked.resource === 'configmaps' && asked.verb === 'list' && asked.namespace === 'reloader';
      if (!looksForJobs || failures === 0) return undefined;
      failures -= 1;
      return unavailable(asked);
    };
    return inStorm({ seed: 1, refuse }, async (s, storm) => {
      await s.secret('db', { password: 'one' });
      const web = await s.deployment('web', { annotations: auto, uses });
      await s.operator();
      await s.adopted(web);
      await storm.quiet(60_000);
      expect(failures).toBe(0);
      expect(storm.operators, 'it was never started again').toHaveLength(1);
      await s.secret('db', { password: 'two' });
      await s.rolled([web, 1]);
    });
  });
});
