/** The note of an eviction that is under way: for which content, and which pods are old. Pure. */
import { hashed } from '../model/hashed.ts';

/** The content that pods are evicted for, as a mark of the template, and their workload. */
export interface Evicted {
  readonly mark: string;
  readonly workload: { readonly metadata: { readonly uid: string } };
}

/** `start`: seconds since the epoch, by the API server's clock; pods created before are old. */
export function formatEviction(evicted: Evicted, start: number): string {
  return JSON.stringify({ for: purpose(evicted), at: start });
}

/** The start in the note; undefined if the note has none for this content. */
export function evictionStart(note: string | undefined, evicted: Evicted): number | undefined {
  if (note === undefined) return undefined;
  try {
    const { for: what, at } = JSON.parse(note) as { for?: unknown; at?: unknown };
    return what === purpose(evicted) && typeof at === 'number' ? at : undefined;
  } catch {
    return undefined;
  }
}

/** Identifies the content that the pods are evicted for: if it changes during the eviction, all pods are old again. */
function purpose({ mark, workload }: Evicted): string {
  return hashed('sha256', `${workload.metadata.uid}\n${mark}`, 'base64url').slice(0, 12);
}
