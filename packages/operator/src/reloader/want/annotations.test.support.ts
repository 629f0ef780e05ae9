/** Short forms of annotation names. The full names are spelled out as users write them, not taken from the code. */
const FULL: Readonly<Record<string, string>> = {
  auto: 'reloader.stakater.com/auto',
  'cm.auto': 'configmap.reloader.stakater.com/auto',
  'secret.auto': 'secret.reloader.stakater.com/auto',
  'spc.auto': 'secretproviderclass.reloader.stakater.com/auto',
  'cm.reload': 'configmap.reloader.stakater.com/reload',
  'secret.reload': 'secret.reloader.stakater.com/reload',
  'spc.reload': 'secretproviderclass.reloader.stakater.com/reload',
  'cm.exclude': 'configmaps.exclude.reloader.stakater.com/reload',
  'secret.exclude': 'secrets.exclude.reloader.stakater.com/reload',
  'spc.exclude': 'secretproviderclasses.exclude.reloader.stakater.com/reload',
  search: 'reloader.stakater.com/search',
  match: 'reloader.stakater.com/match',
  ignore: 'reloader.stakater.com/ignore',
  kind: 'reloader.stakater.com/kind',
  keys: 'reloader.stakater.com/keys',
  freeze: 'reloader.stakater.com/freeze',
  'freeze-reason': 'reloader.stakater.com/freeze-reason',
  'sync-windows': 'reloader.stakater.com/sync-windows',
  'restart-window': 'reloader.stakater.com/restart-window',
  'rate-limit': 'reloader.stakater.com/rate-limit',
  verify: 'reloader.stakater.com/verify',
  'verify-timeout': 'reloader.stakater.com/verify-timeout',
  'verify-stable-for': 'reloader.stakater.com/verify-stable-for',
  'verify-max-restarts': 'reloader.stakater.com/verify-max-restarts',
  wave: 'reloader.stakater.com/wave',
  canary: 'reloader.stakater.com/canary',
  condition: 'reloader.stakater.com/condition',
  approval: 'reloader.stakater.com/approval',
  'max-concurrent': 'reloader.stakater.com/max-concurrent',
  'max-wait': 'reloader.stakater.com/max-wait',
  settle: 'reloader.stakater.com/settle',
  'batch-window': 'reloader.stakater.com/batch-window',
  'rollout-strategy': 'reloader.stakater.com/rollout-strategy',
  'allow-from': 'reloader.stakater.com/allow-from',
  ledger: 'reloader.stakater.com/ledger',
};

export type Short = Readonly<Record<string, string>>;

/** Expands short names; other names stay as they are. */
export function full(annotations: Short): Record<string, string> {
  return Object.fromEntries(Object.entries(annotations).map(([key, value]) => [FULL[key] ?? key, value]));
}
