/** Brings the world of every WebApp to what its spec says. */
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
  // What faces the users goes first, what the others stand on goes last.
  .cleanup(async ({ object, remove }) => {
    for (const { type } of CHILDREN.toReversed()) await remove(type, object.metadata.name);
  })
  .reconcile(async (pass) => {
    const steps = CHILDREN.map((child) => ({ name: child.name, run: () => ensureChild(pass, child) }));
    await runSteps(undefined, steps, pass.signal);
    return rollout(pass);
  });

/** One child, as far as the user wants it; how it stands becomes a condition of its own. */
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

/** Pods would wait in silence for a Secret that is not there; we say so. */
async function findSecret({ object: { spec, metadata }, client, signal }: Pass<WebApp>): Promise<void> {
  const key = { namespace: metadata.namespace ?? '', name: spec.secretName ?? '' };
  if (spec.secretName) await client.get(kinds.Secret, key, { metadataOnly: true, signal });
}

/** The children are as specified; whether the pods run is for the Deployment to say. */
function rollout({ object, cached }: Pass<WebApp>): PassResult {
  const deployment = cached(kinds.Deployment, object.metadata.name);
  const { state, message } = deployment
    ? rolloutStatus(deployment, 'Deployment')
    : { state: 'done', message: '' };
  if (state === 'failed') throw new ConfigurationError(message, { reason: 'DeploymentFailed' });
  if (state !== 'done') return { reconciling: { reason: 'Reconciling', message } };
  return { ready: { reason: 'ReconcileSuccess', message: 'Everything is as specified' } };
}

/** In place of the standard conditions: of these three exactly one is true. */
function summarise({ state, text, pass }: Ending<WebApp>, status: StatusDraft<WebApp>, now: number): void {
  const truth = state === 'ready' ? 'Ready' : state === 'reconciling' ? 'Progressing' : 'Degraded';
  for (const type of ['Ready', 'Progressing', 'Degraded']) {
    const { generation: observedGeneration = 0 } = pass.object.metadata;
    const update = { ...text, type, status: type === truth ? 'True' : 'False', observedGeneration } as const;
    status.conditions = setCondition(status.conditions, update, now);
  }
}
