/** Events of a watch that are no plain objects. */
import { apiVersionOf, tableRow } from '../kinds/index.ts';
import type { KubeObject } from '../model/object.ts';
import { eventIn, type Representation, representObject } from './representation.ts';

const END_OF_INITIAL_EVENTS = { annotations: { 'k8s.io/initial-events-end': 'true' } };

/** A bookmark carries only a revision. */
export function bookmark(as: Representation, revision: number, initialEventsEnd: boolean): Uint8Array {
  const metadata = {
    resourceVersion: String(revision),
    ...(initialEventsEnd && END_OF_INITIAL_EVENTS),
  };
  if (as.media.view === 'Table') {
    return eventIn(as.media, 'BOOKMARK', {
      kind: 'Table',
      apiVersion: as.media.viewVersion,
      metadata: { resourceVersion: String(revision) },
      columnDefinitions: null,
      rows: [
        {
          cells: emptyCells(as),
          object: { kind: 'PartialObjectMetadata', apiVersion: as.media.viewVersion, metadata },
        },
      ],
    });
  }
  if (as.media.view === 'Object') {
    return eventIn(as.media, 'BOOKMARK', { kind: as.kind.kind, apiVersion: apiVersionOf(as.kind), metadata });
  }
  return eventIn(as.media, 'BOOKMARK', {
    kind: 'PartialObjectMetadata',
    apiVersion: as.media.viewVersion,
    metadata,
  });
}

/** An empty object's row: columns may need more fields than it has. */
function emptyCells(as: Representation): unknown[] {
  const nothing = { kind: as.kind.kind, apiVersion: apiVersionOf(as.kind), metadata: { name: '' } };
  try {
    return tableRow(as.kind, nothing as KubeObject, as.now, 'None').cells;
  } catch {
    return [];
  }
}

/** Only the first table of a watch has column definitions. */
export function firstTable(as: Representation, type: string, object: KubeObject): Uint8Array {
  return eventIn(as.media, type, representObject(as, object));
}
