/** Something in a manifest that does not do what it looks like. */
export interface Finding {
  readonly file: string;
  /** Counts from 1; 0 where no line can be named. */
  readonly line: number;
  /** `Deployment shop/web`; empty where the file itself is meant. */
  readonly object: string;
  /** The annotation or the path of the field. */
  readonly field: string;
  /** Short and stable, for those who filter. */
  readonly rule: string;
  readonly message: string;
}

export type Report = (
  field: string,
  rule: string,
  message: string,
  path?: readonly (string | number)[],
) => void;
