/** Whether a series of measurements grows: the slope of the straight line through it, by least squares. */

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** In units of y for each unit of x. Undefined with fewer than two different x. */
export function slopeOf(points: readonly Point[]): number | undefined {
  const middle = { x: mean(points.map(({ x }) => x)), y: mean(points.map(({ y }) => y)) };
  let together = 0;
  let alone = 0;
  for (const { x, y } of points) {
    together += (x - middle.x) * (y - middle.y);
    alone += (x - middle.x) ** 2;
  }
  return alone > 0 ? together / alone : undefined;
}

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;
