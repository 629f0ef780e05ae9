/** Metrics of the notebook's cost: notes, bytes, and writes by result. */
import type { Metrics } from '@reloader/runtime';
import type { Pieces } from './pieces.ts';

export interface NotebookMetrics {
  written(result: 'success' | 'conflict' | 'missing' | 'error', bytes: number): void;
  available(available: boolean): void;
}

const RESULTS = ['success', 'conflict', 'missing', 'error'] as const;

export function createNotebookMetrics(metrics: Metrics | undefined, pieces: () => Pieces): NotebookMetrics {
  if (!metrics) return { written: () => undefined, available: () => undefined };
  const writes = metrics.counter({
    name: 'reloader_notebook_writes_total',
    help: 'Writes of ConfigMaps of the notebook by result',
    labelNames: ['result'],
    initial: RESULTS.map((result) => ({ result })),
  });
  const bytes = metrics.counter({
    name: 'reloader_notebook_written_bytes_total',
    help: 'Bytes of notes that were written',
  });
  const available = metrics.gauge({
    name: 'reloader_notebook_available',
    help: '0 while notes live in memory only, because their ConfigMaps may not be read or written',
  });
  const notes = metrics.gauge({ name: 'reloader_notebook_notes', help: 'Workloads with a note' });
  const size = metrics.gauge({ name: 'reloader_notebook_bytes', help: 'Size of all notes' });
  available.set(1);
  metrics.onScrape(() => {
    notes.set(pieces().size);
    let sum = 0;
    for (const piece of pieces().all()) sum += piece.bytes;
    size.set(sum);
  });
  return {
    written: (result, count) => {
      writes.inc({ result });
      if (count > 0) bytes.inc({}, count);
    },
    available: (is) => available.set(is ? 1 : 0),
  };
}
