/** When a reload may begin: windows, approval, rates. Each gate holds the reload, reports why, and opens. */
import { readFile } from 'node:fs/promises';
import { type KubernetesObject, kinds, type ResourceType } from '@reloader/runtime';
import { expect } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { Ref } from '../chronicle.ts';
import { scenario } from '../scenario.ts';
import { annotationsOf, own, type Scene } from '../scene.ts';

const auto = { auto: 'true' };
const uses = [{ secret: 'db' }] as const;
const HOUR = 3_600_000;

const change = (s: Scene, value: string): Promise<void> => s.secret('db', { password: value });

/** The time after so long: `virtualMs` of virtual time, or `realMs` of real time. */
const inAWhile = (s: Scene, virtualMs: number, realMs: number): string =>
  new Date(s.stage.now() + (s.isVirtual ? virtualMs : realMs)).toISOString();

const FAR = '2099-01-01T00:00:00Z';
const onlyFrom = (from: string): string => JSON.stringify([{ from, to: FAR }]);
const denied = JSON.stringify([{ kind: 'deny', from: '2020-01-01T00:00:00Z', to: FAR }]);
const namespaceRef = (name: string) => ({ kind: 'Namespace', namespace: '', name });

const SAMPLES = new URL('../../../config/samples/', import.meta.url);

const admission = (kind: string, plural: string): ResourceType<Sample> => ({
  group: 'admissionregistration.k8s.io',
  version: 'v1',
  kind,
  plural,
  namespaced: false,
});
const AdmissionPolicies = admission('ValidatingAdmissionPolicy', 'validatingadmissionpolicies');
const AdmissionPolicyBindings = admission(
  'ValidatingAdmissionPolicyBinding',
  'validatingadmissionpolicybindings',
);

export const gates = [
  scenario(
    'gates: a change waits for its window, across a change of leader, and is rolled out once',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', { annotations: auto, uses });
      const first = await s.operator();
      await s.adopted(web);
      await s.annotate(web, { 'sync-windows': onlyFrom('2098-01-01T00:00:00Z') });
      await s.stage.quiet();
      await change(s, 'two');
      await s.stage.until('the wait to be told', () =>
        s
          .events(web)
          .some(({ reason, message }) => reason === 'ReloadDeferred' && message.includes('(window)')),
      );
      await first.kill();
      await s.operator();
      await s.stage.quiet();
      expect(s.rollouts(web), 'while the window is closed').toBe(0);
      await s.annotate(web, { 'sync-windows': onlyFrom(inAWhile(s, HOUR, 4_000)) });
      if (s.isVirtual) await s.rolled([web, 0]);
      await s.stage.until('the window to open', () => s.rollouts(web) > 0, 2 * HOUR);
      await s.rolled([web, 1]);
    },
  ),

  scenario(
    'gates: windows of the Namespace, of the cluster and of a config all count; one that denies wins',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', { annotations: auto, uses });
      const target = await s.deployment('target', { uses });
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'target' }],
        windows: [{ kind: 'deny', from: '2020-01-01T00:00:00Z', to: FAR }],
      });
      const operator = await s.operator();
      await s.adopted(web, target);
      await change(s, 'two');
      await s.rolled([web, 1], [target, 0]);
      expect(s.status(config).targetStatus?.[0]).toMatchObject({
        deferredReason: 'window',
        deferredUntil: FAR,
        pendingSince: expect.any(String),
      });
      const home = namespaceRef(operator.namespace);
      await s.annotate(home, { 'sync-windows': denied });
      await s.annotate(namespaceRef(s.namespace), { 'sync-windows': denied });
      await s.stage.quiet();
      await change(s, 'three');
      await s.rolled([web, 1]);
      await s.annotate(home, { 'sync-windows': null });
      await s.rolled([web, 1]);
      await s.annotate(namespaceRef(s.namespace), { 'sync-windows': null });
      await s.rolled([web, 2], [target, 0]);
      await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'target' }],
      });
      await s.rolled([web, 2], [target, 1]);
    },
  ),

  scenario(
    'gates: a window that cannot be read holds its own workload and nobody else, and says so',
    async (s) => {
      await change(s, 'one');
      const broken = await s.deployment('broken', {
        annotations: {
          ...auto,
          'restart-window': '{"timezone":"UTC","windows":[{"cron":"@daily","duration":"1h"}]}',
        },
        uses,
      });
      const target = await s.deployment('target', { uses });
      const web = await s.deployment('web', { annotations: auto, uses });
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'target' }],
        windows: [{ schedule: '0 0 30 2 *', duration: '1h' }],
      });
      await s.operator();
      await s.adopted(broken, target, web);
      await change(s, 'two');
      await s.rolled([broken, 0], [target, 0], [web, 1]);
      await s.conditionIs(config, 'InvalidWindow', 'True', '30 2');
      expect(s.events(broken).find(({ reason }) => reason === 'InvalidWindow')?.message).toContain('@daily');
      await s.annotate(broken, { 'restart-window': null });
      await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'target' }],
      });
      await s.rolled([broken, 1], [target, 1], [web, 1]);
    },
  ),

  scenario(
    'gates: a change waits for approval by its name, is rolled out once, and no undo replays it',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', { uses });
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'web' }],
        approval: 'required',
      });
      await s.operator();
      await s.adopted(web);
      const waiting = async (not = ''): Promise<string> => {
        const id = (): string => s.status(config).targetStatus?.[0]?.change ?? '';
        const isNew = (): boolean => id() !== '' && id() !== not;
        await s.stage.until('a change to wait for approval', isNew);
        expect(s.status(config).targetStatus?.[0]?.deferredReason).toBe('approval');
        return id();
      };
      await change(s, 'two');
      const first = await waiting();
      await change(s, 'three');
      const second = await waiting(first);
      await s.annotate(web, { approve: first });
      await s.stage.until('the refusal to be told', () =>
        s.events(web).some(({ reason }) => reason === 'ApprovalForOtherChange'),
      );
      await s.rolled([web, 0]);
      await s.annotate(web, { approve: second });
      await s.rolled([web, 1]);
      expect(annotationsOf(s.live(web)), 'it is used up').not.toHaveProperty([
        'reloader.stakater.com/approve',
      ]);
      await change(s, 'four');
      const third = await waiting(second);
      await s.annotate(web, { approve: second });
      await s.rolled([web, 1]);
      await s.annotate(web, { approve: null, now: third });
      await s.rolled([web, 2]);
      await s.running(web);
      await change(s, 'five');
      await waiting(third);
      await s.stage.undo('Deployment', 'web');
      await s.stage.quiet();
      expect(s.record(web)?.seq, 'an undo approves nothing').toBe(2);
      await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'web' }],
      });
      await s.stage.quiet();
      s.allow.pending = true;
    },
  ),

  scenario('gates: an approval is asked for at once, and not when the window opens', async (s) => {
    await change(s, 'one');
    const web = await s.deployment('web', { annotations: { ...auto, approval: 'required' }, uses });
    await s.operator();
    await s.adopted(web);
    await s.annotate(web, { 'sync-windows': onlyFrom('2098-01-01T00:00:00Z') });
    await s.stage.quiet();
    await change(s, 'two');
    const asked = (): string | undefined =>
      s.events(web).flatMap(({ message }) => /--change (\w+)/.exec(message)?.[1] ?? [])[0];
    await s.stage.until('the approval to be asked for', () => asked() !== undefined);
    await s.annotate(web, { approve: asked() ?? '' });
    await s.rolled([web, 0]);
    await s.annotate(web, { 'sync-windows': null });
    await s.rolled([web, 1]);
  }),

  scenario(
    'gates: of the targets of a config, and of a Namespace, only so many roll out at a time',
    async (s) => {
      await change(s, 'one');
      const names = ['a', 'b', 'c', 'd'];
      const targets = await Promise.all(names.map((name) => s.deployment(name, { uses })));
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: names.map((name) => ({ kind: 'Deployment', name })),
        maxConcurrent: '25%',
      });
      await s.annotate(namespaceRef(s.namespace), { 'max-concurrent': 'a few' });
      await s.operator();
      await s.adopted(...targets);
      await change(s, 'two');
      await s.conditionIs(config, 'InvalidBudget', 'True', '"a few" in reloader.stakater.com/max-concurrent');
      await s.rolled(...targets.map((target) => [target, 0] as const));
      await s.annotate(namespaceRef(s.namespace), { 'max-concurrent': '3' });
      await s.rolled(...targets.map((target) => [target, 1] as const));
      const held = targets.flatMap((target) =>
        s
          .events(target)
          .filter(({ reason, message }) => reason === 'ReloadDeferred' && message.includes('capped')),
      );
      expect(held.length, 'those that waited for others').toBeGreaterThan(0);
      expect(held[0]?.message).toMatch(/maxConcurrent of ReloaderConfig .*\/config allows 1 at a time: /);
      expect(s.condition(config, 'InvalidBudget')).toBeUndefined();
    },
  ),

  scenario(
    'gates: a workload that is reloaded too often is held, told once, and a person lets one through',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', { uses });
      const config = await s.config('config', {
        watchedResources: { secrets: ['db'] },
        targets: [{ kind: 'Deployment', name: 'web' }],
        rateLimit: { perHour: 1, burst: 2 },
      });
      const first = await s.operator();
      await s.adopted(web);
      await change(s, 'two');
      await s.stage.until('the first reload', () => s.rollouts(web) === 1);
      await change(s, 'three');
      await s.stage.until('the second reload', () => s.rollouts(web) === 2);
      await first.kill();
      await s.operator();
      await change(s, 'four');
      await s.conditionIs(config, 'RateLimited', 'True', 'written by user');
      await s.rolled([web, 2]);
      expect(s.events(web).filter(({ reason }) => reason === 'ReloadRateLimited')).toHaveLength(1);
      const id = s.status(config).targetStatus?.[0]?.change ?? '';
      await s.annotate(web, { now: id });
      await s.rolled([web, 3]);
    },
  ),

  scenario(
    'gates: the sample policy lets only approvers approve, and the operator takes the word off',
    async (s) => {
      const { policy, metadata, remove } = await applyPolicy(s, 'approval_policy.yaml');
      await change(s, 'one');
      const web = await s.deployment('web', { annotations: { ...auto, approval: 'required' }, uses });
      await s.operator();
      await s.adopted(web);
      await change(s, 'two');
      let told = '';
      await s.stage.until('the change to be named', () => {
        const event = s.events(web).find(({ message }) => message.includes('(approval)'));
        [, told = ''] = /change ([a-z2-9]{10})/.exec(event?.message ?? '') ?? [];
        return told !== '';
      });
      await s.stage.until('the policy to be in force', async () => {
        const answer = await s.annotate(web, { approve: 'trial' }).catch((error: unknown) => String(error));
        return String(answer).includes('only members of the group reloader-approvers');
      });
      expect(await byStatus(s, web, { [own('now')]: told }), 'with its status').toContain(
        'only members of the group reloader-approvers',
      );
      await s.annotate(web, { settle: '2s' });
      // All administrators of this cluster are in one group; the scenario makes that group the approvers.
      const [rule] = policy.spec.validations as { expression: string }[];
      const expression = rule?.expression.replace('reloader-approvers', 'system:masters');
      const spec = { ...policy.spec, validations: [{ ...rule, expression }] };
      const body = { spec };
      await s.stage.client.patch(AdmissionPolicies, metadata, { type: 'merge', body });
      await s.stage.until('the approval to be accepted', () =>
        s.annotate(web, { approve: told }).then(
          () => true,
          () => false,
        ),
      );
      await s.rolled([web, 1]);
      expect(annotationsOf(s.live(web))).not.toHaveProperty(['reloader.stakater.com/approve']);
      await remove();
    },
    { only: 'cluster' },
  ),

  scenario(
    'gates: the sample policy lets only operations freeze, and others change what is frozen',
    async (s) => {
      await change(s, 'one');
      const web = await s.deployment('web', { annotations: { ...auto, freeze: 'true' }, uses });
      const { remove } = await applyPolicy(s, 'freeze_policy.yaml');
      const refusal = (annotations: Readonly<Record<string, string>>): Promise<string> =>
        s.annotate(web, annotations).then(() => '', String);
      let tries = 0;
      await s.stage.until('the policy to be in force', async () =>
        (await refusal({ 'freeze-reason': `try ${++tries}` })).includes(
          'only members of the group operations',
        ),
      );
      expect(await refusal({ freeze: 'false' })).toContain('only members of the group operations');
      expect(await byStatus(s, web, { [own('freeze')]: 'false' }), 'with its status').toContain(
        'only members of the group operations',
      );
      expect(await refusal({ settle: '2s' })).toBe('');
      await remove();
    },
    { only: 'cluster' },
  ),
];

/**
 * Sets annotations through the status subresource, which anyone with write access to it can do. Resolves with the
 * server's error, if any.
 */
function byStatus(s: Scene, ref: Ref, annotations: Readonly<Record<string, string>>): Promise<string> {
  const body = { metadata: { annotations } };
  return s.stage.client
    .patch(kinds.Deployment, ref, { type: 'merge', body }, { subresource: 'status' })
    .then(() => '', String);
}

/** Applies one of our sample policies to the namespace of the scene only. */
async function applyPolicy(s: Scene, file: string) {
  const [policy, binding] = parseAllDocuments(await readFile(new URL(file, SAMPLES), 'utf8')).map(
    (document) => document.toJS() as Sample,
  ) as [Sample, Sample];
  const metadata = { name: `${file.split('_')[0]}-${s.namespace}` };
  const inThisNamespace = { matchLabels: { 'kubernetes.io/metadata.name': s.namespace } };
  await s.stage.client.create(AdmissionPolicies, { ...policy, metadata });
  await s.stage.client.create(AdmissionPolicyBindings, {
    ...binding,
    metadata,
    spec: {
      ...binding.spec,
      policyName: metadata.name,
      matchResources: { namespaceSelector: inThisNamespace },
    },
  });
  const remove = async (): Promise<void> => {
    await s.stage.client.delete(AdmissionPolicyBindings, metadata);
    await s.stage.client.delete(AdmissionPolicies, metadata);
  };
  return { policy, metadata, remove };
}

type Sample = KubernetesObject & { readonly spec: Readonly<Record<string, unknown>> };
