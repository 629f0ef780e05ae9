export const COORDINATES: {
  readonly version: string;
  readonly image: string;
  readonly charts: string;
  readonly repository: string;
  readonly site: string;
};
export const STAMPED: readonly string[];
export function stamp(text: string): string;
