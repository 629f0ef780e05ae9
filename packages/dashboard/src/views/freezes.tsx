/** What is held by people: freezes and approvals, how much waits behind each, and what ending it would restart. */
import type { NumberedLine } from '@reloader/operator/api';
import { linkTo, useNow, useStore } from '../data/hooks.ts';
import { freezeCommand, freezeNamespaceCommand } from '../data/kubectl.ts';
import { durationText, keyOf, needsApproval, plural } from '../data/words.ts';
import { FreezeButton, ReleaseButtons, type Target } from '../parts/action.tsx';
import { Icon } from '../parts/icons.tsx';
import { Card, Commands, Empty, WorkloadLink } from '../parts/pieces.tsx';

interface Freeze {
  readonly key: string;
  readonly title: string;
  readonly target: Target;
  readonly members: readonly NumberedLine[];
  readonly command: string | undefined;
}

const MOST = 10;

export function FreezesView() {
  const store = useStore();
  const freezes = freezesOf(store.lines);
  const approvals = store.lines.filter(({ pending }) => needsApproval(pending?.why));
  return (
    <div class="freezes">
      <h1 class="hidden">Freezes and approvals</h1>
      {approvals.length > 0 && (
        <Card title="Waiting for approval" aside={plural(approvals.length, 'workload')}>
          <Held lines={approvals} />
        </Card>
      )}
      {freezes.map((freeze) => (
        <OneFreeze key={freeze.key} freeze={freeze} />
      ))}
      {freezes.length + approvals.length === 0 && (
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

function freezesOf(lines: readonly NumberedLine[]): readonly Freeze[] {
  const groups = new Map<string, NumberedLine[]>();
  for (const line of lines) {
    const { frozen, workload } = line;
    if (frozen === undefined) continue;
    const { kind, namespace, name } = workload;
    const key = {
      cluster: 'cluster',
      namespace: `namespace ${namespace}`,
      workload: `${kind} ${namespace}/${name}`,
    };
    groups.set(key[frozen], [...(groups.get(key[frozen]) ?? []), line]);
  }
  return [...groups].map(([key, members]): Freeze => {
    const [first] = members;
    const { workload, frozen } = first as NumberedLine;
    const { namespace } = workload;
    if (frozen === 'cluster') {
      const command = 'kubectl reloader unfreeze --cluster';
      return { key, title: 'The whole cluster', target: { cluster: true }, members, command };
    }
    if (frozen === 'namespace') {
      const command = freezeNamespaceCommand(namespace, false);
      return { key, title: `Namespace ${namespace}`, target: { namespace }, members, command };
    }
    return { key, title: key, target: workload, members, command: freezeCommand(workload, false) };
  });
}

function OneFreeze({ freeze }: { readonly freeze: Freeze }) {
  const { title, target, members, command } = freeze;
  const waiting = members.filter(({ pending }) => pending !== undefined);
  return (
    <Card
      tone="frozen"
      title={
        <>
          <Icon name="frozen" /> {title}
        </>
      }
      aside={<FreezeButton target={target} isFrozen waiting={waiting.length} />}
    >
      <p class="verdict">
        {waiting.length === 0 ? (
          <>Holds {plural(members.length, 'workload')}. No change waits: unfreezing restarts nothing.</>
        ) : (
          <>
            Unfreezing would restart <b>{plural(waiting.length, 'workload')}</b>, the first at once.
          </>
        )}
      </p>
      <Held lines={waiting} />
      {command !== undefined && <Commands commands={[{ what: 'Unfreeze', text: command }]} />}
    </Card>
  );
}

function Held({ lines }: { readonly lines: readonly NumberedLine[] }) {
  const now = useNow();
  return (
    <>
      <ul class="lines">
        {lines.slice(0, MOST).map((line) => (
          <li key={keyOf(line.workload)} class="wide">
            <WorkloadLink workload={line.workload} />
            {line.pendingSince !== undefined && (
              <span class="quiet">waits for {durationText(now - Date.parse(line.pendingSince))}</span>
            )}
            <ReleaseButtons line={line} />
            <p class="why">{line.pending?.message}</p>
          </li>
        ))}
      </ul>
      {lines.length > MOST && (
        <a href={linkTo('workloads', undefined, { state: 'frozen' })}>
          all {lines.length.toLocaleString('en')}
        </a>
      )}
    </>
  );
}
