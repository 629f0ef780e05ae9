/** The sum of a metric over its labels, from the text that an operator serves. */
export function sumOf(exposition: string, name: string): number {
  const lines = exposition
    .split('\n')
    .filter((line) => line.startsWith(`${name}{`) || line.startsWith(`${name} `));
  return lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
}

export const megabytes = (bytes = 0): string => (bytes / 1e6).toFixed(2);
export const kilobytes = (bytes: number): string => (bytes / 1000).toFixed(0);
