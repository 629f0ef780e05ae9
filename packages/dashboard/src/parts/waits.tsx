/** The way from a change to its rollout: every wait in order, with its reason and its end. */
import type { Explanation, NumberedLine } from '@reloader/operator/api';
import { dayText, endWord, nameOf, plural, untilText, waitWord } from '../data/words.ts';

interface Step {
  readonly title: string;
  readonly text: string;
  readonly when?: string | undefined;
  readonly tone: 'done' | 'now' | 'next';
}

export function stepsOf(answer: Explanation, line: NumberedLine | undefined, now: number): readonly Step[] {
  const { outlook, lastReload } = answer;
  const pods = line?.pods;
  if (outlook.action !== 'reload') {
    const isRolling = pods !== undefined;
    return [
      ...(lastReload
        ? [{ title: 'Reloaded', text: `at ${dayText(lastReload)}`, tone: 'done' as const }]
        : []),
      isRolling
        ? { title: 'Rolling out', text: `${pods.updated} of ${plural(pods.wanted, 'pod')} new`, tone: 'now' }
        : { title: 'Nothing waits', text: outlook.because, tone: 'done' },
    ];
  }
  const changes = outlook.causes.map(nameOf).join(', ') || 'another tool undid the last reload';
  const waits = outlook.waits.map(
    ({ why, until, message }, at): Step => ({
      title: waitWord(why),
      text: message,
      when: until === undefined ? endWord(why) : `until ${dayText(until)}, ${untilText(until, now)}`,
      tone: at === 0 ? 'now' : 'next',
    }),
  );
  return [
    { title: 'Changed', text: changes, tone: 'done' },
    ...waits,
    {
      title: 'Rollout',
      text: answer.policy.strategy,
      when: outlook.at === undefined ? undefined : `${dayText(outlook.at)}, ${untilText(outlook.at, now)}`,
      tone: waits.length === 0 ? 'now' : 'next',
    },
  ];
}

export function WaitChain({ steps }: { readonly steps: readonly Step[] }) {
  return (
    <ol class="chain">
      {steps.map(({ title, text, when, tone }) => (
        <li key={title} class={tone} aria-current={tone === 'now' ? 'step' : undefined}>
          <b>{title}</b>
          {when !== undefined && <span class="when">{when}</span>}
          <p>{text}</p>
        </li>
      ))}
    </ol>
  );
}
