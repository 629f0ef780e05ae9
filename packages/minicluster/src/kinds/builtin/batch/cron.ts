/** Validates cron schedules with the server's parser rules and messages. */

interface Bounds {
  readonly low: number;
  readonly high: number;
  readonly names?: readonly string[];
}

const FIELDS: readonly Bounds[] = [
  { low: 0, high: 59 },
  { low: 0, high: 23 },
  { low: 1, high: 31 },
  {
    low: 1,
    high: 12,
    names: ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'],
  },
  { low: 0, high: 6, names: ['sun', 'mon', 'tue', 'wed', 'thu', 'fri', 'sat'] },
];
const DESCRIPTORS = ['@yearly', '@annually', '@monthly', '@weekly', '@daily', '@midnight', '@hourly'];

/** The error of a schedule, or undefined if it is valid. */
export function scheduleProblem(schedule: string): string | undefined {
  const withoutZone = schedule.replace(/^(CRON_)?TZ=\S*\s*/, '');
  if (withoutZone.startsWith('@')) return descriptorProblem(withoutZone);
  const fields = withoutZone.split(/\s+/).filter((field) => field !== '');
  if (fields.length !== FIELDS.length) {
    return `expected exactly ${FIELDS.length} fields, found ${fields.length}: [${fields.join(' ')}]`;
  }
  for (const [index, bounds] of FIELDS.entries()) {
    for (const range of (fields[index] ?? '').split(',').filter((part) => part !== '')) {
      const problem = rangeProblem(range, bounds);
      if (problem) return problem;
    }
  }
  return undefined;
}

function descriptorProblem(descriptor: string): string | undefined {
  if (DESCRIPTORS.includes(descriptor)) return undefined;
  if (!descriptor.startsWith('@every ')) return `unrecognized descriptor: ${descriptor}`;
  const duration = descriptor.slice('@every '.length);
  if (/^[+-]?(\d+(\.\d*)?(ns|us|µs|ms|s|m|h))+$/.test(duration)) return undefined;
  return `failed to parse duration ${descriptor}: time: invalid duration "${duration}"`;
}

function rangeProblem(range: string, bounds: Bounds): string | undefined {
  const [span = '', ...steps] = range.split('/');
  const ends = span.split('-');
  const star = ends[0] === '*' || ends[0] === '?';
  const start = star ? bounds.low : parse(ends[0] ?? '', bounds);
  if (typeof start === 'string') return start;
  let end: number | string = star ? bounds.high : start;
  if (!star && ends.length === 2) end = parse(ends[1] ?? '', bounds);
  if (!star && ends.length > 2) return `too many hyphens: ${range}`;
  if (typeof end === 'string') return end;

  let step = 1;
  if (steps.length > 1) return `too many slashes: ${range}`;
  if (steps.length === 1) {
    const parsed = parse(steps[0] ?? '', { low: 0 });
    if (typeof parsed === 'string') return parsed;
    step = parsed;
    if (ends.length === 1) end = bounds.high;
  }
  if (start < bounds.low) return `beginning of range (${start}) below minimum (${bounds.low}): ${range}`;
  if (end > bounds.high) return `end of range (${end}) above maximum (${bounds.high}): ${range}`;
  if (start > end) return `beginning of range (${start}) beyond end of range (${end}): ${range}`;
  if (step === 0) return `step of range should be a positive number: ${range}`;
  return undefined;
}

/** The number, or the error. */
function parse(text: string, bounds: Pick<Bounds, 'low' | 'names'>): number | string {
  const named = bounds.names?.indexOf(text.toLowerCase()) ?? -1;
  if (named >= 0) return named + bounds.low;
  if (!/^[+-]?\d+$/.test(text)) {
    return `failed to parse int from ${text}: strconv.Atoi: parsing ${JSON.stringify(text)}: invalid syntax`;
  }
  const number = Number(text);
  return number < 0 ? `negative number (${number}) not allowed: ${text}` : number;
}
