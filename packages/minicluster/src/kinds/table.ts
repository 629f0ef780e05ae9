/**
 * Objects as rows of `kubectl get`: meta.k8s.io/v1 Table. The server adds the list's resourceVersion and continue
 * token; a watch sends one table per event.
 */
import type { KubeObject } from '../model/object.ts';
import { describeAge } from './age.ts';
import type { Column, Kind, RowCondition } from './kind.ts';

export interface ColumnDefinition {
  name: string;
  type: string;
  format: string;
  description: string;
  priority: number;
}

export interface TableRow {
  cells: (string | number | boolean | null)[];
  conditions?: readonly RowCondition[];
  object?: object;
}

export interface TableBody {
  kind: 'Table';
  apiVersion: 'meta.k8s.io/v1';
  metadata: { resourceVersion?: string; continue?: string; remainingItemCount?: number };
  columnDefinitions: ColumnDefinition[];
  rows: TableRow[];
}

export type IncludeObject = 'None' | 'Metadata' | 'Object';

const nameColumn: Column = {
  name: 'Name',
  type: 'string',
  format: 'name',
  value: (object) => object.metadata.name,
};

/** Kinds without columns: name and creation time, as custom resources have by default. */
const defaultColumns: readonly Column[] = [
  nameColumn,
  { name: 'Created At', type: 'date', value: (object) => object.metadata.creationTimestamp },
];

const columnsOf = (kind: Kind): readonly Column[] => kind.columns ?? defaultColumns;

export const tableColumns = (kind: Kind): ColumnDefinition[] =>
  columnsOf(kind).map(({ name, type, format = '', description = '', priority = 0 }) => ({
    name,
    type,
    format,
    description,
    priority,
  }));

export function tableRow(
  kind: Kind,
  object: KubeObject,
  now: number,
  includeObject: IncludeObject = 'Metadata',
): TableRow {
  const row: TableRow = { cells: columnsOf(kind).map((column) => column.value(object, now)) };
  const conditions = kind.rowConditions?.(object) ?? [];
  if (conditions.length > 0) row.conditions = conditions;
  if (includeObject === 'Object') row.object = object;
  else if (includeObject === 'Metadata') {
    row.object = {
      kind: 'PartialObjectMetadata',
      apiVersion: 'meta.k8s.io/v1',
      metadata: object.metadata,
    };
  }
  return row;
}

export function toTable(
  kind: Kind,
  objects: readonly KubeObject[],
  now: number,
  options: { readonly includeObject?: IncludeObject } = {},
): TableBody {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata: {},
    columnDefinitions: tableColumns(kind),
    rows: objects.map((object) => tableRow(kind, object, now, options.includeObject)),
  };
}

/** The name column that most kinds start with. */
export const name = nameColumn;

/** The age column that most kinds have. */
export const age: Column = {
  name: 'Age',
  type: 'string',
  value: (object, now) => describeAge(object.metadata.creationTimestamp, now),
};

/** A column of text. */
export const column = (
  title: string,
  value: Column['value'],
  options: { type?: Column['type']; priority?: number; format?: string; description?: string } = {},
): Column => ({ name: title, type: 'string', value, ...options });

/** A column of `-o wide`. */
export const wide = (title: string, value: Column['value']): Column => column(title, value, { priority: 1 });

/** A column of whole numbers. */
export const count = (title: string, value: Column['value']): Column =>
  column(title, value, { type: 'integer' });
