/** The result of one check. */
export interface CheckFinding {
  readonly check: string;
  readonly level: 'ok' | 'warning' | 'error';
  readonly message: string;
  /** The action to take. */
  readonly fix?: string;
}

export const ok = (check: string, message: string): CheckFinding => ({ check, level: 'ok', message });
export const warning = (check: string, message: string, fix: string): CheckFinding => ({
  check,
  level: 'warning',
  message,
  fix,
});
export const failure = (check: string, message: string, fix: string): CheckFinding => ({
  check,
  level: 'error',
  message,
  fix,
});
