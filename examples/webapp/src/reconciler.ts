/** Brings the world of one WebApp to what its spec says. */
import {
  type Client,
  type Component,
  createOrUpdate,
  deleteIfOwned,
  type EventRecorder,
  findCondition,
  type Informer,
  kinds,
  phaseOf,
  type ReconcileContext,
  type Reconciler,
  type Result,
  reconcileComponent,
  referenceTo,
  rolloutStatus,
  runSteps,
  StepError,
  type Stored,
  setComponentConditions,
  setCondition,
  setControllerReference,
  withErrorPolicy,
  withFinalizer,
  withStatus,
} from '@reloader/runtime';
import { CHILDREN, type Child, type ComponentName, type Draft, MANAGED_BY } from './children.ts';
import { type WebApp, WebApps } from './webapp.ts';

export interface Dependencies {
  readonly client: Client;
  readonly events: EventRecorder;
  readonly webApps: Informer<Stored<WebApp>>;
  readonly children: ReadonlyMap<ComponentName, Informer<Stored<Draft>>>;
}

type App = Stored<WebApp>;
type Status = NonNullable<WebApp['status']>;

const FINALIZER = 'example.com/webapp-cleanup';
const TEN_MINUTES = 600_000;

export function createReconciler({ client, events, webApps, children }: Dependencies): Reconciler {
  return withErrorPolicy((key, context) =>
    withFinalizer<WebApp, Result>(key, {
      client,
      type: WebApps,
      finalizer: FINALIZER,
      signal: context.signal,
      clock: context.clock,
      fetch: () => webApps.store.get(key),
      reconcile: (app) => reconcile(app, context),
      // What faces the users goes first, what the others stand on goes last.
      cleanup: async (app) => {
        for (const child of CHILDREN.toReversed()) await component(child, app, context).remove();
      },
    }),
  );

  /** The status is written whether the work succeeds or fails; an Event tells when Ready changes, or why it is so. */
  async function reconcile(app: App, context: ReconcileContext): Promise<Result> {
    const before = findCondition(app.status?.conditions, 'Ready');
    let after = before;
    const work = async (status: Status): Promise<Result> => {
      try {
        return await ensureChildren(app, status, context);
      } finally {
        status.phase = phaseOf(status.conditions);
        status.observedGeneration = app.metadata.generation ?? 0;
        after = findCondition(status.conditions, 'Ready');
      }
    };
    try {
      return await withStatus(client, WebApps, app, work, context);
    } finally {
      if (after && after.reason !== before?.reason) {
        const type = after.reason.endsWith('Failed') ? 'Warning' : 'Normal';
        events.record(referenceTo(WebApps, app), type, after.reason, after.message);
      }
    }
  }

  /** One child after the other, as far as it goes. */
  async function ensureChildren(app: App, status: Status, context: ReconcileContext): Promise<Result> {
    const { signal, clock } = context;
    const steps = CHILDREN.map((child) => ({
      name: child.name,
      async run() {
        const state = app.spec.managementStates?.[child.name];
        const outcome = await reconcileComponent(
          component(child, app, context),
          state,
          app.metadata.generation,
        );
        status.conditions = setComponentConditions(status.conditions, [outcome], clock.now());
        if (outcome.error) throw outcome.error;
      },
    }));
    try {
      await runSteps(undefined, steps, signal);
      summarise(app, status, ...rolloutOf(app), clock.now());
    } catch (error) {
      if (error instanceof StepError) {
        summarise(app, status, 'Degraded', `${error.step}Failed`, error.message, clock.now());
      }
      throw error;
    }
    return { requeueAfterMs: TEN_MINUTES };
  }

  function component(child: Child, app: App, { signal, clock }: ReconcileContext): Component {
    const { name, type, fill } = child;
    const key = { namespace: app.metadata.namespace ?? '', name: app.metadata.name };
    return {
      name,
      async ensure() {
        if (name === 'Deployment') await findSecret(app, signal);
        const live = children.get(name)?.store.get(key) ?? null;
        const mutate = (draft: Draft): void => {
          setControllerReference(draft, WebApps, app, { adopt: false });
          draft.metadata = { ...draft.metadata, labels: { ...draft.metadata?.labels, ...MANAGED_BY } };
          fill(draft, app);
        };
        await createOrUpdate(client, type, key, mutate, { live, signal, clock });
      },
      async remove() {
        await deleteIfOwned(client, type, key, app, { signal, clock });
      },
    };
  }

  /** Pods would wait in silence for a Secret that is not there; we say so. */
  async function findSecret({ spec, metadata }: App, signal: AbortSignal): Promise<void> {
    const key = { namespace: metadata.namespace ?? '', name: spec.secretName ?? '' };
    if (spec.secretName) await client.get(kinds.Secret, key, { metadataOnly: true, signal });
  }

  function rolloutOf(app: App): [truth: string, reason: string, message: string] {
    const deployment = children.get('Deployment')?.store.get(app.metadata);
    const rollout = deployment && rolloutStatus(deployment, 'Deployment');
    if (!rollout || rollout.state === 'done')
      return ['Ready', 'ReconcileSuccess', 'Everything is as specified'];
    if (rollout.state === 'failed') return ['Degraded', 'DeploymentFailed', rollout.message];
    return ['Progressing', 'Reconciling', rollout.message];
  }
}

/** Of the three conditions exactly one is true. */
function summarise(
  app: App,
  status: Status,
  truth: string,
  reason: string,
  message: string,
  now: number,
): void {
  for (const type of ['Ready', 'Progressing', 'Degraded']) {
    const { generation: observedGeneration = 0 } = app.metadata;
    const update = {
      type,
      status: type === truth ? 'True' : 'False',
      reason,
      message,
      observedGeneration,
    } as const;
    status.conditions = setCondition(status.conditions, update, now);
  }
}
