/** Components that several views share. */
import type { NumberedLine, SourceRef, Wait, WorkloadRef } from '@reloader/operator/api';
import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { linkTo, useNow, useStore } from '../data/hooks.ts';
import { type Command, quoted } from '../data/kubectl.ts';
import type { Ref } from '../data/route.ts';
import { agoText, endWord, nameOf, plural, STATE_WORDS, untilText, waitWord } from '../data/words.ts';
import { Icon } from './icons.tsx';

export function StateMark({ line }: { readonly line: Pick<NumberedLine, 'state' | 'pending' | 'frozen'> }) {
  const { state, pending, frozen } = line;
  const isFrozen = pending?.why === 'frozen';
  const name = isFrozen ? 'frozen' : state;
  return (
    <span class={`mark mark-${name}`}>
      <Icon name={name} />
      {state === 'waiting' && pending ? waitWord(pending.why) : STATE_WORDS[state]}
      {frozen !== undefined && !isFrozen && <small class="also">· frozen</small>}
    </span>
  );
}

function ObjectLink({ view, object }: { readonly view: 'workload' | 'source'; readonly object: Ref }) {
  return (
    <a class="object" href={linkTo(view, object)} title={nameOf(object)}>
      <small>{object.kind}</small> <span class="quiet">{object.namespace}/</span>
      <b>{object.name}</b>
    </a>
  );
}

export const WorkloadLink = ({ workload }: { readonly workload: WorkloadRef }) => (
  <ObjectLink view="workload" object={workload} />
);

export const SourceLink = ({ source }: { readonly source: SourceRef }) => (
  <ObjectLink view="source" object={source} />
);

/** How long ago it was. Of a table full of times, only those whose text changes are drawn again. */
export const Ago = ({ time }: { readonly time: string }) => <>{useNow((now) => agoText(time, now))}</>;

/** When a wait ends. */
export function WaitEnd({ wait: { why, until } }: { readonly wait: Wait }) {
  const text = useNow((now) => (until === undefined ? endWord(why) : untilText(until, now)));
  return (
    <time class="until" dateTime={until} title={until}>
      {text}
    </time>
  );
}

export function Progress({ pods }: { readonly pods: NonNullable<NumberedLine['pods']> }) {
  const { wanted, updated, available } = pods;
  const text = `${updated} of ${plural(wanted, 'pod')} new, ${available} available`;
  return (
    <span class="progress">
      <progress max={Math.max(1, wanted)} value={Math.min(updated, wanted)} aria-label={text} />
      <span class="numbers">
        {updated}/{wanted}
      </span>
    </span>
  );
}

export function CopyButton({ text, label = 'Copy' }: { readonly text: string; readonly label?: string }) {
  const [said, say] = useState('');
  const copy = async (): Promise<void> => {
    const done = await navigator.clipboard?.writeText(text).then(
      () => true,
      () => false,
    );
    say(done ? 'Copied' : 'Select and copy it');
    setTimeout(() => say(''), 1_500);
  };
  return (
    <button type="button" class="copy" onClick={copy} aria-label={`${label}: ${text}`}>
      <Icon name="copy" />
      <span role="status">{said || label}</span>
    </button>
  );
}

export function Commands({ commands }: { readonly commands: readonly Command[] }) {
  const { kubectl } = useStore((store) => [store.kubectl]);
  const shown = commands.map(({ what, text }) => ({ what, text: [text, ...kubectl.map(quoted)].join(' ') }));
  return (
    <ul class="commands">
      {shown.map(({ what, text }) => (
        <li key={text}>
          <span class="what">{what}</span>
          <code>
            {text.split(' ').map((word, at) => (
              <span key={at}>{word} </span>
            ))}
          </code>
          <CopyButton text={text} />
        </li>
      ))}
    </ul>
  );
}

interface CardProps {
  readonly title: ComponentChildren;
  readonly aside?: ComponentChildren;
  readonly tone?: string;
  readonly children?: ComponentChildren;
}

export function Card({ title, aside, tone = '', children }: CardProps) {
  return (
    <section class={`card ${tone}`}>
      <header>
        <h2>{title}</h2>
        {aside !== undefined && <div class="aside">{aside}</div>}
      </header>
      {children}
    </section>
  );
}

/** Shown until the first answer arrives. */
export const Asking = () => <p class="empty quiet">Loading…</p>;

export function Empty({
  title,
  children,
}: {
  readonly title: string;
  readonly children?: ComponentChildren;
}) {
  return (
    <div class="empty">
      <h3>{title}</h3>
      {children}
    </div>
  );
}
