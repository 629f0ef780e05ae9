/** Content negotiation. */
import { StatusError } from '../model/status.ts';

export type View = 'Object' | 'Table' | 'PartialObjectMetadata' | 'PartialObjectMetadataList';

export interface MediaType {
  readonly format: 'json' | 'yaml' | 'protobuf';
  readonly view: View;
  /** apiVersion of a Table or PartialObjectMetadata. */
  readonly viewVersion: string;
}

interface Clause {
  readonly type: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly quality: number;
}

const PLAIN: MediaType = { format: 'json', view: 'Object', viewVersion: '' };
const VIEWS = new Set(['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList']);
export const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const FORMATS: Readonly<Record<string, MediaType['format']>> = {
  'application/json': 'json',
  '*/*': 'json',
  'application/yaml': 'yaml',
  [PROTOBUF]: 'protobuf',
};
const SERVED = 'application/json, application/yaml, application/vnd.kubernetes.protobuf';
const SERVED_STREAMS = 'application/json;stream=watch, application/vnd.kubernetes.protobuf;stream=watch';

export interface Negotiation {
  /** A watch: one object per line. */
  readonly stream?: boolean;
  /** A path that can be watched. */
  readonly collection?: boolean;
  /** Whole objects of the kind can be written as protobuf; metadata always can, a table never. */
  readonly protobuf?: boolean;
}

/** The first acceptable clause of an Accept header. Throws 406. */
export function negotiate(accept: string | undefined, options: Negotiation = {}): MediaType {
  if (!accept) return PLAIN;
  const types = accept.split(',').map((clause) => clause.split(';')[0]?.trim().toLowerCase() ?? '');
  if (!types.some((type) => type in FORMATS)) {
    const forms = options.collection ? `${SERVED}, ${SERVED_STREAMS}` : SERVED;
    throw new StatusError(
      406,
      'NotAcceptable',
      `406: Not Acceptable\n\nAvailable representations: ${forms}`,
      {},
    );
  }
  const clauses = accept
    .split(',')
    .map(parseClause)
    .sort((a, b) => b.quality - a.quality);
  for (const clause of clauses) {
    const format = FORMATS[clause.type];
    if (!format || (options.stream && format === 'yaml')) continue;
    const view = clause.parameters.get('as');
    if (format === 'protobuf' && !(view === undefined ? options.protobuf : view !== 'Table')) continue;
    if (view === undefined) return { ...PLAIN, format };
    const group = clause.parameters.get('g');
    const version = clause.parameters.get('v');
    const known = group === 'meta.k8s.io' && (version === 'v1' || version === 'v1beta1');
    if (known && VIEWS.has(view)) return { format, view: view as View, viewVersion: `${group}/${version}` };
  }
  throw notAcceptable(
    `only the following media types are accepted: ${options.stream ? SERVED_STREAMS : SERVED}`,
  );
}

export const notAcceptable = (message: string): StatusError => new StatusError(406, 'NotAcceptable', message);

function parseClause(text: string): Clause {
  const [type = '', ...rest] = text.split(';').map((part) => part.trim());
  const parameters = new Map<string, string>();
  for (const part of rest) {
    const [name = '', value = ''] = part.split('=');
    parameters.set(name.trim(), value.trim());
  }
  const quality = Number(parameters.get('q') ?? '1');
  return { type: type.toLowerCase(), parameters, quality: Number.isNaN(quality) ? 1 : quality };
}
