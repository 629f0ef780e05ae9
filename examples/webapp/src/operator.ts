/** Reconciles every WebApp to its spec. */
import {
  ConfigurationError,
  type Ending,
  kinds,
  operator,
  type Pass,
  type PassResult,
  reconcileComponent,
  rolloutStatus,
  runSteps,
  type StatusDraft,
  setComponentConditions,
  setCondition,
} from '@reloader/runtime';
import { CHILDREN, type Child } from './children.ts';
import { type WebApp, WebApps } from './webapp.ts';

export const webapps = operator(WebApps, {
  name: 'webapp-operator',
  finalizer: 'example.com/webapp-cleanup',
  summary: summarise,
})
  .owns(kinds.ConfigMap)
  .owns(kinds.Deployment)
  .owns(kinds.Service)
  .owns(kinds.Ingress)
  .needs(kinds.Secret, 'get')
  // User-facing children are deleted first, those that others depend on last.
  .cleanup(async ({ object, remove }) => {
    for (const { type } of CHILDREN.toReversed()) await remove(type, object.metadata.name);
  })
  .reconcile(async (pass) => {
    const steps = CHILDREN.map((child) => ({ name: child.name, run: () => ensureChild(pass, child) }));
    await runSteps(undefined, steps, pass.signal);
    return rollout(pass);
  });

/** One child, if the user wants it; its state becomes its own condition. */
async function ensureChild(pass: Pass<WebApp>, { name, type, fill }: Child): Promise<void> {
  const { object: app, status, clock } = pass;
  const component = {
    name,
    async ensure() {
      if (name === 'Deployment') await findSecret(pass);
      await pass.ensure(type, app.metadata.name, (draft) => fill(draft, app));
    },
    async remove() {
      await pass.remove(type, app.metadata.name);
    },
  };
  const wanted = app.spec.managementStates?.[name];
  const outcome = await reconcileComponent(component, wanted, app.metadata.generation);
  status.conditions = setComponentConditions(status.conditions, [outcome], clock.now());
  if (outcome.error) throw outcome.error;
}

/** Pods would wait silently for a missing Secret; report it instead. */
async function findSecret({ object: { spec, metadata }, client, signal }: Pass<WebApp>): Promise<void> {
  const key = { namespace: metadata.namespace ?? '', name: spec.secretName ?? '' };
  if (spec.secretName) await client.get(kinds.Secret, key, { metadataOnly: true, signal });
}

/** The children match the spec; whether the pods run is up to the Deployment. */
function rollout({ object, cached }: Pass<WebApp>): PassResult {
  const deployment = cached(kinds.Deployment, object.metadata.name);
  const { state, message } = deployment
    ? rolloutStatus(deployment, 'Deployment')
    : { state: 'done', message: '' };
  if (state === 'failed') throw new ConfigurationError(message, { reason: 'DeploymentFailed' });
  if (state !== 'done') return { reconciling: { reason: 'Reconciling', message } };
  return { ready: { reason: 'ReconcileSuccess', message: 'Everything is as specified' } };
}

/** Instead of the standard conditions: exactly one of these three is true. */
function summarise({ state, text, pass }: Ending<WebApp>, status: StatusDraft<WebApp>, now: number): void {
  const truth = state === 'ready' ? 'Ready' : state === 'reconciling' ? 'Progressing' : 'Degraded';
  for (const type of ['Ready', 'Progressing', 'Degraded']) {
    const { generation: observedGeneration = 0 } = pass.object.metadata;
    const update = { ...text, type, status: type === truth ? 'True' : 'False', observedGeneration } as const;
    status.conditions = setCondition(status.conditions, update, now);
  }
}
