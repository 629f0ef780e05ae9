/** Messages for tests, with defaults for everything that a test does not name. */
import type { Alert, AlertMessage } from './message.ts';

/** 2030-01-01T00:00:00Z */
export const AT = Date.UTC(2030, 0, 1);

/** The Deployment `web` in `shop`, reloaded because of the Secret `credentials`. */
export function message(overrides: Partial<AlertMessage> = {}): AlertMessage {
  return {
    event: 'reloaded',
    workload: { kind: 'Deployment', namespace: 'shop', name: 'web' },
    resources: [{ kind: 'Secret', namespace: 'shop', name: 'credentials' }],
    strategy: 'env-vars',
    at: AT,
    error: undefined,
    deferral: undefined,
    configs: [],
    ...overrides,
  };
}

export const failure = (error = 'the API server refused it'): AlertMessage =>
  message({ event: 'failed', error });

export const deferral = (until: number | undefined = AT + 300_000): AlertMessage =>
  message({ event: 'deferred', deferral: { why: 'paused', message: 'the pause of 5m is not over', until } });

export function alertOf(first: AlertMessage, ...others: readonly AlertMessage[]): Alert {
  return { messages: [first, ...others], additionalInfo: undefined };
}

/** So many Deployments `web-0`, `web-1` … reloaded at once. */
export function manyReloaded(count: number): Alert {
  const [first = message(), ...others] = Array.from({ length: count }, (_, index) =>
    message({ workload: { kind: 'Deployment', namespace: 'shop', name: `web-${index}` } }),
  );
  return alertOf(first, ...others);
}
