// Which folder may import which, inside each package. The one table to change; `npm run check` refuses every import
// that is not in it, every entry that no import needs any more, and every cycle. `node scripts/folder-graph.mjs`
// prints it, and ARCHITECTURE.md shows what it prints.
import { pathToFileURL } from 'node:url';

/**
 * By package: folder -> the folders it imports. A folder may be nested (`reloader/decide`); a file belongs to the
 * longest name here that contains it. `.` is what lies in `src` itself. Base folders first, as data flows.
 */
export const FOLDER_GRAPH = {
  runtime: {
    clock: [],
    model: [],
    lifecycle: [],
    logging: ['clock'],
    metrics: ['clock', 'logging'],
    client: ['clock', 'model', 'logging', 'metrics'],
    reflector: ['clock', 'model', 'logging', 'client'],
    objects: ['clock', 'model', 'client'],
    cache: ['clock', 'model', 'logging', 'metrics', 'client', 'reflector', 'objects'],
    queue: ['clock', 'metrics'],
    controller: ['clock', 'model', 'lifecycle', 'logging', 'metrics', 'client', 'objects', 'cache', 'queue'],
    manager: ['clock', 'model', 'lifecycle', 'logging', 'metrics', 'client', 'cache', 'controller'],
    election: ['clock', 'model', 'lifecycle', 'logging', 'metrics', 'client', 'objects'],
    events: ['clock', 'model', 'lifecycle', 'logging', 'metrics', 'client', 'objects'],
    webhook: ['clock', 'model', 'lifecycle', 'logging', 'metrics', 'client', 'objects'],
    builder: [
      'clock',
      'model',
      'lifecycle',
      'logging',
      'metrics',
      'client',
      'objects',
      'cache',
      'controller',
      'manager',
      'election',
      'events',
    ],
    kind: ['model', 'client', 'builder'],
    testing: ['clock', 'model', 'logging', 'metrics', 'client', 'objects', 'cache', 'manager', 'builder'],
    '.': [
      'clock',
      'model',
      'lifecycle',
      'logging',
      'metrics',
      'client',
      'reflector',
      'objects',
      'cache',
      'queue',
      'controller',
      'manager',
      'election',
      'events',
      'webhook',
      'builder',
    ],
  },
  minicluster: {
    model: [],
    storage: ['model'],
    selectors: ['model'],
    schema: ['model'],
    request: ['storage', 'selectors'],
    wire: ['model', 'schema'],
    patch: ['model', 'schema'],
    kinds: ['model', 'schema'],
    auth: ['model', 'storage', 'selectors', 'schema', 'request'],
    admission: ['model', 'selectors', 'patch'],
    api: [
      'model',
      'storage',
      'selectors',
      'schema',
      'request',
      'wire',
      'patch',
      'kinds',
      'auth',
      'admission',
    ],
    server: ['request', 'api'],
    faults: ['model', 'request', 'api'],
    history: ['model', 'storage', 'request'],
    controllers: ['model'],
    '.': [
      'model',
      'storage',
      'request',
      'kinds',
      'auth',
      'admission',
      'api',
      'server',
      'faults',
      'history',
      'controllers',
    ],
    cli: ['.'],
  },
};

/** The allowed graph as text: what imports nothing first, each folder below all that it imports. */
export function printGraph(graph = FOLDER_GRAPH) {
  return Object.entries(graph)
    .map(([name, folders]) => {
      const width = Math.max(...Object.keys(folders).map((folder) => folder.length));
      const lines = Object.entries(folders).map(([folder, to]) =>
        `${folder.padEnd(width)}  ${to.length > 0 ? `← ${to.join(', ')}` : ''}`.trimEnd(),
      );
      return `packages/${name}/src\n${lines.map((line) => `  ${line}`).join('\n')}`;
    })
    .join('\n\n');
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) console.log(printGraph());
