/** The lines of a watch that are no plain objects. */
import { apiVersionOf, toTable } from '../kinds/index.ts';
import type { KubeObject } from '../object.ts';
import { eventLine, type Representation } from './representation.ts';

const END_OF_INITIAL_EVENTS = { annotations: { 'k8s.io/initial-events-end': 'true' } };

/** A bookmark carries nothing but the revision that the client may go on from. */
export function bookmark(as: Representation, revision: number, initialEventsEnd: boolean): Uint8Array {
  const metadata = {
    resourceVersion: String(revision),
    ...(initialEventsEnd && END_OF_INITIAL_EVENTS),
  };
  if (as.media.view === 'Table') {
    const row = { kind: as.kind.kind, apiVersion: apiVersionOf(as.kind), metadata };
    return eventLine('BOOKMARK', {
      kind: 'Table',
      apiVersion: as.media.viewVersion,
      metadata: { resourceVersion: String(revision) },
      columnDefinitions: null,
      rows: [{ cells: [], object: as.includeObject === 'None' ? null : row }],
    });
  }
  if (as.media.view === 'Object') {
    return eventLine('BOOKMARK', { kind: as.kind.kind, apiVersion: apiVersionOf(as.kind), metadata });
  }
  return eventLine('BOOKMARK', {
    kind: 'PartialObjectMetadata',
    apiVersion: as.media.viewVersion,
    metadata,
  });
}

/** Only the first table of a watch names its columns. */
export function firstTable(as: Representation, type: string, object: KubeObject): Uint8Array {
  const table = toTable(as.kind, [object], as.now, { includeObject: as.includeObject });
  table.metadata.resourceVersion = object.metadata.resourceVersion;
  return eventLine(type, { ...table, apiVersion: as.media.viewVersion });
}
