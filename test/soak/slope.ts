/** Decides whether a series of measurements grows: a linear fit by least squares, and how certain it is. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface Trend {
  /** In units of y for each unit of x. */
  readonly slope: number;
  /** The standard error of the slope: the uncertainty from the scatter of the points. */
  readonly error: number;
}

/** A slope counts if it is this many standard errors away from zero: by chance, one in a thousand. */
const CERTAIN = 3;

/** Undefined with fewer than three points, through which any scatter could be a line. */
export function trendOf(points: readonly Point[]): Trend | undefined {
  if (points.length < 3) return undefined;
  const middle = { x: mean(points.map(({ x }) => x)), y: mean(points.map(({ y }) => y)) };
  let together = 0;
  let alone = 0;
  for (const { x, y } of points) {
    together += (x - middle.x) * (y - middle.y);
    alone += (x - middle.x) ** 2;
  }
  const slope = together / alone;
  const scatter = points.reduce((sum, { x, y }) => sum + (y - middle.y - slope * (x - middle.x)) ** 2, 0);
  return { slope, error: Math.sqrt(scatter / (points.length - 2) / alone) };
}

/** A lower bound of the growth for each unit of x: zero if the scatter explains the slope. */
export function certainGrowth({ slope, error }: Trend): number {
  return Math.max(0, slope - CERTAIN * error);
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
