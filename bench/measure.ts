/** The result of a measurement: rows of a table, each with its floor and, where we promised one, its target. */
import type { ControlPlane } from '../test/control-plane/control-plane.ts';
import type { OperatorCommand } from './operator.ts';

export interface Row {
  readonly what: string;
  readonly ours: string;
  /** The same work by a bare program, in the same run. */
  readonly floor?: string;
  readonly others?: string;
  readonly target?: string;
  /** Undefined where there is no target. */
  readonly met?: boolean;
}

export interface Measure {
  readonly name: string;
  readonly title: string;
  /** How it was measured, in a sentence or two. */
  readonly how: string;
  run(cluster: () => Promise<ControlPlane>, bench: Bench): Promise<Row[]>;
}

/** Options of the command line. */
export interface Bench {
  /** The operator under test in the measurements of reloads. */
  readonly operator: OperatorCommand;
  /** Share of the full size, for trial runs; their rows say so. */
  readonly scale: number;
}

export function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

export const ms = (value: number): string => `${value < 10 ? value.toFixed(1) : Math.round(value)} ms`;
export const mb = (value: number): string => `${Math.round(value)} MB`;
export const times = (value: number): string => `${value.toFixed(2)} times`;
export const perSecond = (value: number): string => `${Math.round(value).toLocaleString('en')} per second`;
