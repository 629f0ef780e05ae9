/** One reason and message for a condition. */
export interface Statement {
  readonly reason: string;
  readonly message: string;
}

const MOST_NAMED = 20;

/** The messages in one text, each once. */
export function told(statements: readonly Statement[]): string {
  return named([...new Set(statements.map(({ message }) => message))]);
}

export function named(items: readonly string[]): string {
  const shown = items.slice(0, MOST_NAMED).join('; ');
  return items.length > MOST_NAMED ? `${shown}; and ${items.length - MOST_NAMED} more` : shown;
}
