/** Windows that start around a change of clocks, by zone. Computed by hand from the rules of the zones, in UTC. */
export interface ZoneCase {
  readonly what: string;
  readonly timeZone: string;
  readonly schedule: string;
  readonly duration: string;
  /** The days around it: each start and end between these two moments. */
  readonly between: readonly [from: string, to: string];
  readonly active: readonly (readonly [start: string, end: string])[];
}

export const ZONE_CASES: readonly ZoneCase[] = [
  {
    what: 'Berlin: 02:30 falls into the gap, so the window starts at its end, 03:00',
    timeZone: 'Europe/Berlin',
    schedule: '30 2 * * *',
    duration: '1h',
    between: ['2026-03-28T00:00:00Z', '2026-03-31T00:00:00Z'],
    active: [
      ['2026-03-28T01:30:00Z', '2026-03-28T02:30:00Z'],
      ['2026-03-29T01:00:00Z', '2026-03-29T02:00:00Z'],
      ['2026-03-30T00:30:00Z', '2026-03-30T01:30:00Z'],
    ],
  },
  {
    what: 'Berlin: 02:30 comes twice, and counts once, the first time',
    timeZone: 'Europe/Berlin',
    schedule: '30 2 * * *',
    duration: '1h',
    between: ['2026-10-24T00:00:00Z', '2026-10-27T00:00:00Z'],
    active: [
      ['2026-10-24T00:30:00Z', '2026-10-24T01:30:00Z'],
      ['2026-10-25T00:30:00Z', '2026-10-25T01:30:00Z'],
      ['2026-10-26T01:30:00Z', '2026-10-26T02:30:00Z'],
    ],
  },
  {
    what: 'Berlin: a window that spans the gap lasts as long as on any other night',
    timeZone: 'Europe/Berlin',
    schedule: '0 1 * * *',
    duration: '3h',
    between: ['2026-03-28T12:00:00Z', '2026-03-30T12:00:00Z'],
    active: [
      ['2026-03-29T00:00:00Z', '2026-03-29T03:00:00Z'],
      ['2026-03-29T23:00:00Z', '2026-03-30T02:00:00Z'],
    ],
  },
  {
    what: 'New York: 02:00 falls into the gap on 8 March',
    timeZone: 'America/New_York',
    schedule: '0 2 * * SUN',
    duration: '30m',
    between: ['2026-03-01T00:00:00Z', '2026-03-16T00:00:00Z'],
    active: [
      ['2026-03-01T07:00:00Z', '2026-03-01T07:30:00Z'],
      ['2026-03-08T07:00:00Z', '2026-03-08T07:30:00Z'],
      ['2026-03-15T06:00:00Z', '2026-03-15T06:30:00Z'],
    ],
  },
  {
    what: 'New York: 01:30 comes twice on 1 November',
    timeZone: 'America/New_York',
    schedule: '30 1 1 11 *',
    duration: '20m',
    between: ['2026-10-31T00:00:00Z', '2026-11-03T00:00:00Z'],
    active: [['2026-11-01T05:30:00Z', '2026-11-01T05:50:00Z']],
  },
  {
    what: 'Beirut: midnight itself does not exist, so the day starts at 01:00',
    timeZone: 'Asia/Beirut',
    schedule: '0 0 * * *',
    duration: '1h',
    between: ['2026-03-28T00:00:00Z', '2026-03-30T12:00:00Z'],
    active: [
      ['2026-03-28T22:00:00Z', '2026-03-28T23:00:00Z'],
      ['2026-03-29T21:00:00Z', '2026-03-29T22:00:00Z'],
    ],
  },
  {
    what: 'Lord Howe: a gap of half an hour, 02:15 becomes 02:30',
    timeZone: 'Australia/Lord_Howe',
    schedule: '15 2 * * *',
    duration: '30m',
    between: ['2026-10-02T20:00:00Z', '2026-10-04T20:00:00Z'],
    active: [
      ['2026-10-03T15:30:00Z', '2026-10-03T16:00:00Z'],
      ['2026-10-04T15:15:00Z', '2026-10-04T15:45:00Z'],
    ],
  },
  {
    what: 'Sao Paulo: no summer time any more',
    timeZone: 'America/Sao_Paulo',
    schedule: '0 0 * * *',
    duration: '2h',
    between: ['2026-10-17T12:00:00Z', '2026-10-19T12:00:00Z'],
    active: [
      ['2026-10-18T03:00:00Z', '2026-10-18T05:00:00Z'],
      ['2026-10-19T03:00:00Z', '2026-10-19T05:00:00Z'],
    ],
  },
  {
    what: 'UTC: over midnight, and over the end of the year',
    timeZone: 'UTC',
    schedule: '30 23 * * *',
    duration: '1h',
    between: ['2026-12-31T12:00:00Z', '2027-01-01T12:00:00Z'],
    active: [['2026-12-31T23:30:00Z', '2027-01-01T00:30:00Z']],
  },
];
