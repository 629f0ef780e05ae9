/** Freezes and approvals: how many workloads wait behind each, and which would restart when it ends. */
import type { FreezeGroup, LineGroup } from '@reloader/operator/api';
import { linkTo, useNow, useOverview } from '../data/hooks.ts';
import { freezeCommand, freezeNamespaceCommand, releaseCommands } from '../data/kubectl.ts';
import type { Route } from '../data/route.ts';
import { dayText, durationText, keyOf, nameOf, plural, untilText } from '../data/words.ts';
import { FreezeButton, ReleaseButtons, type Target } from '../parts/action.tsx';
import { Icon } from '../parts/icons.tsx';
import { Asking, Card, Commands, Empty, WorkloadLink } from '../parts/pieces.tsx';

export function FreezesView() {
  const overview = useOverview();
  if (!overview) return <Asking />;
  const { freezes, moreFreezes, approvals } = overview;
  return (
    <div class="freezes">
      <h1 class="hidden">Freezes and approvals</h1>
      {approvals.count > 0 && (
        <Card title="Waiting for approval" aside={plural(approvals.count, 'workload')}>
          <Held group={approvals} all="everything that waits" query={{ state: 'waiting' }} />
        </Card>
      )}
      {freezes.map((freeze) => (
        <OneFreeze key={titleOf(freeze)} freeze={freeze} />
      ))}
      {moreFreezes > 0 && (
        <p>
          <a href={linkTo('workloads', undefined, { state: 'frozen' })}>
            and {plural(moreFreezes, 'more freeze')}
          </a>
        </p>
      )}
      {freezes.length + approvals.count === 0 && (
        <Empty title="Nothing is frozen, and nothing waits for an approval">
          <p>
            A freeze holds reloads back: of a workload, of a namespace, or of the whole cluster. Changes are
            kept.
          </p>
          <Commands
            commands={[
              { what: 'Freeze a namespace', text: freezeNamespaceCommand('NAMESPACE', true) },
              { what: 'Freeze everything', text: 'kubectl reloader freeze --cluster' },
            ]}
          />
        </Empty>
      )}
    </div>
  );
}

function titleOf({ workload, namespace }: FreezeGroup): string {
  if (workload) return nameOf(workload);
  return namespace === undefined ? 'The whole cluster' : `Namespace ${namespace}`;
}

function targetOf({ workload, namespace }: FreezeGroup): Target {
  return workload ?? (namespace === undefined ? { cluster: true } : { namespace });
}

function unfreezeCommand({ workload, namespace }: FreezeGroup): string {
  if (workload) return freezeCommand(workload, false);
  return namespace === undefined
    ? 'kubectl reloader unfreeze --cluster'
    : freezeNamespaceCommand(namespace, false);
}

function OneFreeze({ freeze }: { readonly freeze: FreezeGroup }) {
  const { count, waiting, first, next } = freeze;
  const now = useNow();
  const then =
    waiting === 0
      ? 'No change waits: nothing restarts now.'
      : `${plural(waiting, 'workload')} would restart, ${firstText(next, now)}.`;
  return (
    <Card
      tone="frozen"
      title={
        <>
          <Icon name="frozen" /> {titleOf(freeze)}
        </>
      }
      aside={<FreezeButton target={targetOf(freeze)} isFrozen then={then} />}
    >
      <Facts freeze={freeze} now={now} />
      <p class="verdict">
        {waiting === 0 ? (
          <>Holds {plural(count, 'workload')}. No change waits: unfreezing restarts nothing.</>
        ) : (
          <>
            Unfreezing would restart <b>{plural(waiting, 'workload')}</b>, {firstText(next, now)}.
          </>
        )}
      </p>
      <Held
        group={{ count: waiting, first }}
        all="all that is frozen here"
        query={{ state: 'frozen', ...(freeze.namespace !== undefined && { namespace: freeze.namespace }) }}
      />
      <Commands commands={[{ what: 'Unfreeze', text: unfreezeCommand(freeze) }]} />
    </Card>
  );
}

function firstText(next: string | undefined, now: number): string {
  if (next === undefined) return 'when nothing else holds them';
  return Date.parse(next) <= now
    ? 'the first at once'
    : `the first ${untilText(next, now)}, at ${dayText(next)}`;
}

/** The facts of a freeze: by whom, since when, why and until when, as far as they are recorded. */
function Facts({ freeze, now }: { readonly freeze: FreezeGroup; readonly now: number }) {
  const { by, since, reason, until } = freeze;
  const parts = [
    ...(by === undefined ? [] : [`by ${by}`]),
    ...(since === undefined ? [] : [`since ${dayText(since)}`]),
    ...(until === undefined ? [] : [`ends ${untilText(until, now)}`]),
  ];
  return (
    <p class="why">
      {reason !== undefined && <b>{reason}</b>}
      {reason !== undefined && parts.length > 0 && ' · '}
      {parts.join(' · ')}
    </p>
  );
}

/** `all` names the list that `query` selects. */
function Held({
  group,
  all,
  query,
}: {
  readonly group: LineGroup;
  readonly all: string;
  readonly query: Route['query'];
}) {
  const { count, first } = group;
  const now = useNow();
  return (
    <>
      <ul class="lines">
        {first.map((line) => (
          <li key={keyOf(line.workload)} class="wide">
            <WorkloadLink workload={line.workload} />
            {line.pendingSince !== undefined && (
              <span class="quiet">waits for {durationText(now - Date.parse(line.pendingSince))}</span>
            )}
            <ReleaseButtons line={line} />
            <p class="why">{line.pending?.message}</p>
            <Commands commands={releaseCommands(line.workload, line.pending).slice(0, 1)} />
          </li>
        ))}
      </ul>
      {count > first.length && (
        <p>
          and {(count - first.length).toLocaleString('en')} more:{' '}
          <a href={linkTo('workloads', undefined, query)}>{all}</a>
        </p>
      )}
    </>
  );
}
