/** Gates that are as expensive to read and to evaluate as the limits allow. Each number gives other ones. */

/** Zones that change their clocks at different times, by unusual amounts, or are rarely used. */
const ZONES = [
  'America/St_Johns',
  'Australia/Lord_Howe',
  'Pacific/Chatham',
  'Asia/Beirut',
  'Africa/Casablanca',
  'America/Nuuk',
  'Antarctica/Troll',
  'Asia/Tehran',
  'Pacific/Apia',
  'America/Asuncion',
  'Europe/Dublin',
  'Asia/Gaza',
  'Africa/Cairo',
  'America/Havana',
  'America/Santiago',
  'Asia/Kathmandu',
] as const;

const zoneOf = (number: number): string => ZONES[number % ZONES.length] ?? 'UTC';

interface HostileWindow {
  readonly kind: 'allow' | 'deny';
  readonly schedule: string;
  readonly duration: string;
  readonly timeZone: string;
}

/** Sixteen windows of a minute, of which no two begin together for months, and denying ones that close the rest. */
export function hostileWindows(number: number): HostileWindow[] {
  return Array.from({ length: 16 }, (_, index) => {
    const minutes = Array.from({ length: 20 }, (__, at) => (number + index + 3 * at) % 60);
    const text = [...new Set(minutes)].sort((a, b) => a - b).join(',');
    const schedules = [
      `${text} * * * *`,
      `${number % 60} ${index} 29 2 *`,
      `*/2 1-23/2 1-31/2 * ${(number + index) % 7}`,
      `${text} ${index}-23 31 1,3,5,7,8,10,12 *`,
    ];
    return {
      kind: index % 5 === 4 ? 'deny' : 'allow',
      schedule: schedules[index % schedules.length] ?? '0 0 * * *',
      duration: '1m',
      timeZone: zoneOf(number + index),
    };
  });
}

/** The same as a list in YAML, as long as an annotation may be. */
export function windowsInYaml(number: number): string {
  const entries = hostileWindows(number).map(
    (window) =>
      `- kind: ${window.kind}\n  schedule: "${window.schedule}"\n  duration: ${window.duration}\n  timeZone: ${window.timeZone}\n`,
  );
  const comments = '  # and so on\n'.repeat(10);
  return entries.map((entry) => `${entry}${comments}`).join('');
}

/** Windows that are open only while those of `hostileWindows` are not. */
export function restartWindow(number: number): string {
  const windows = Array.from({ length: 16 }, (_, index) => ({
    cron: `1-59/2 ${(number + index) % 24} * * *`,
    duration: '1m',
  }));
  return JSON.stringify({ timezone: zoneOf(number), windows });
}

/** Uses nearly all steps that a condition has, and is true. */
export function hostileCondition(number: number): string {
  const all = `source.keys.all(k, source.labels.all(l, k != l + 'n${number}'))`;
  return `source.keys.size() > 0 && source.keys.exists_one(k, k == 'key-${number % 200}.json') && (${all} || true)`;
}
