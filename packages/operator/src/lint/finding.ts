/** A mistake in a manifest, or a setting without the effect that it suggests. */
export interface Finding {
  readonly file: string;
  /** Counts from 1; 0 if no line can be named. */
  readonly line: number;
  /** `Deployment shop/web`; empty if the finding is about the file itself. */
  readonly object: string;
  /** The annotation or the path of the field. */
  readonly field: string;
  /** Short and stable, so that users can filter by it. */
  readonly rule: string;
  readonly message: string;
}

export type Report = (
  field: string,
  rule: string,
  message: string,
  path?: readonly (string | number)[],
) => void;
