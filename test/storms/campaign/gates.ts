/** The gates of each workload in a run of the campaign, drawn from its seed; and how users write them. */
import type { Random } from '@reloader/runtime/testing';

export interface Gates {
  /** Opens every three minutes for one minute, and allows or denies reloads in it. */
  readonly window?: 'allow' | 'deny';
  readonly maxWaitMinutes?: number;
  readonly approval?: true;
  readonly rate?: { readonly perHour: number; readonly burst: number };
  readonly wave?: number;
  readonly condition?: true;
  readonly verify?: true;
  readonly batchSeconds?: number;
}

/** Gates that only a ReloaderConfig can have. */
export interface ConfigGates extends Gates {
  readonly maxConcurrent?: number;
  readonly canary?: true;
}

export const WINDOW = { everyMinutes: 3, minutes: 1 } as const;
/** A source with this label is held by every condition of the campaign. */
export const HELD = { stage: 'held' } as const;
const CONDITION = "!('stage' in source.labels) || source.labels['stage'] != 'held'";
const STABLE_FOR = '10s';
/** The probability of each gate. */
const OFTEN = 1 / 3;

export function drawGates(random: Random): Gates {
  const on = (): boolean => random.chance(OFTEN);
  const window = on() ? random.pick(['allow', 'deny'] as const) : undefined;
  return {
    ...(window && { window }),
    ...(window && on() && { maxWaitMinutes: 2 }),
    ...(on() && { approval: true }),
    ...(on() && { rate: { perHour: 20, burst: 2 } }),
    ...(on() && { wave: random.int(3) - 1 }),
    ...(on() && { condition: true }),
    ...(on() && { verify: true }),
    ...(on() && { batchSeconds: 20 }),
  };
}

export function drawConfigGates(random: Random): ConfigGates {
  const gates = drawGates(random);
  return {
    ...gates,
    ...(random.chance(OFTEN) && { maxConcurrent: 1 }),
    // A canary needs the outcomes that `verify` gives.
    ...(gates.verify && random.chance(0.5) && { canary: true }),
  };
}

/** The gates as annotations of a workload. */
export function annotationsFor(gates: Gates): Record<string, string> {
  const { window, maxWaitMinutes, approval, rate, wave, condition, verify, batchSeconds } = gates;
  return {
    ...(window && { 'sync-windows': JSON.stringify([windowOf(window)]) }),
    ...(maxWaitMinutes && { 'max-wait': `${maxWaitMinutes}m` }),
    ...(approval && { approval: 'required' }),
    ...(rate && { 'rate-limit': `${rate.perHour}/${rate.burst}` }),
    ...(wave !== undefined && { wave: String(wave) }),
    ...(condition && { condition: CONDITION }),
    ...(verify && { verify: 'true', 'verify-stable-for': STABLE_FOR }),
    ...(batchSeconds && { 'batch-window': `${batchSeconds}s` }),
  };
}

/** The gates as fields of a ReloaderConfig; its targets get the wave. */
export function specFor(gates: ConfigGates): object {
  const { window, maxWaitMinutes, approval, rate, condition, verify, batchSeconds } = gates;
  return {
    ...(window && { windows: [windowOf(window)] }),
    ...(maxWaitMinutes && { maxWait: `${maxWaitMinutes}m` }),
    ...(approval && { approval: 'required' }),
    ...(rate && { rateLimit: rate }),
    ...(condition && { condition: CONDITION }),
    ...(verify && { verify: { stableFor: STABLE_FOR } }),
    ...(batchSeconds && { batchWindow: `${batchSeconds}s` }),
    ...(gates.maxConcurrent && { maxConcurrent: gates.maxConcurrent }),
    ...(gates.canary && { canary: { steps: [1], bake: '20s' } }),
  };
}

function windowOf(kind: 'allow' | 'deny'): object {
  return { kind, schedule: `*/${WINDOW.everyMinutes} * * * *`, duration: `${WINDOW.minutes}m` };
}

/** `at`: milliseconds since the epoch, by the caller's clock. */
export function isOpen(kind: 'allow' | 'deny', at: number): boolean {
  const inside = (at / 60_000) % WINDOW.everyMinutes < WINDOW.minutes;
  return inside === (kind === 'allow');
}
