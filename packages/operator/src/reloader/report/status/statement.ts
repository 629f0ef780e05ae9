/** One thing to say in a condition. */
export interface Statement {
  readonly reason: string;
  readonly message: string;
}
