/** The output of kubectl, without parts that differ between runs: ages, times, names of versions, keyed digests. */

const LEFT_OUT = /^\s*(?:Creation Timestamp|Last Transition Time|Resource Version|UID|Last Reload Time):/;

export function plainOutput(text: string): string {
  return text
    .split('\n')
    .filter((line) => !LEFT_OUT.test(line))
    .map((line) => line.replace(/(\/Secret\/\S+: +)[\w-]{22}$/, '$1DIGEST').trimEnd())
    .join('\n');
}

/** For `kubectl get`: cells by the columns of the header, without the age and its alignment. */
export function plainTable(text: string): string {
  const [header = '', ...rows] = text.trimEnd().split('\n');
  const starts = [...header.matchAll(/\S+(?: \S+)*/g)].map(({ index }) => index);
  const cells = (line: string): string[] =>
    starts.map((start, at) => line.slice(start, starts[at + 1]).trim());
  const age = cells(header).indexOf('AGE');
  const plain = (line: string): string =>
    cells(line)
      .map((cell, at) => (at === age && line !== header ? '…' : cell))
      .join(' | ');
  return [header, ...rows].map(plain).join('\n');
}

/** For `kubectl describe`: Events in one line each, sorted, without times and counts. */
export function plainDescription(text: string): string {
  const [object = '', events = ''] = plainOutput(text).split(/^Events:/m);
  const told = events
    .split('\n')
    .map((line) => line.trim().split(/ {2,}/))
    .filter(([type = '']) => type === 'Normal' || type === 'Warning')
    .map(([type, reason, , from, ...message]) => `  ${type} ${reason} ${from}: ${message.join(' ')}`)
    .sort();
  return `${object}Events:\n${told.length === 0 ? '  <none>' : [...new Set(told)].join('\n')}\n`;
}
