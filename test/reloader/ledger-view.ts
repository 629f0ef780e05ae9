/** The ledger as a reader of the annotation sees it: parsed here, independently of the operator's code. */
import type { ChronicleObject } from './chronicle.ts';
import { LEDGER } from './names.ts';

export interface LedgerView {
  readonly v: number;
  readonly uid: string;
  readonly seq: number;
  readonly t: number;
  readonly at?: number;
  readonly ps?: number;
  readonly recent?: readonly {
    readonly n: number;
    readonly at: number;
    readonly c?: string[];
    readonly s?: string[];
  }[];
  readonly s: Readonly<Record<string, string>>;
}

export function readLedger(object: ChronicleObject | undefined): LedgerView | undefined {
  const text = object?.metadata.annotations?.[LEDGER];
  if (text === undefined) return undefined;
  try {
    return JSON.parse(text) as LedgerView;
  } catch {
    return undefined;
  }
}

/** `cm/NAME` or `cm/NS/NAME` as kind, namespace and name. */
export function sourceOf(key: string, namespace: string): { kind: string; namespace: string; name: string } {
  const parts = key.split('/');
  const kind = parts[0] === 'cm' ? 'ConfigMap' : parts[0] === 'secret' ? 'Secret' : 'SecretProviderClass';
  return { kind, namespace: parts.length === 3 ? (parts[1] ?? '') : namespace, name: parts.at(-1) ?? '' };
}
