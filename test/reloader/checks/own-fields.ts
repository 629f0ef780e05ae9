/** I6: on users' objects our field manager owns our own fields and nothing else, in every stored version. */
import type { Chronicle } from '../chronicle.ts';
import { FIELD_MANAGER } from '../names.ts';
import { RELOADED_KINDS } from './history.ts';

const OURS: readonly RegExp[] = [
  /^metadata\/annotations(\/(?:[a-z]+\.)*reloader\.stakater\.com\/[a-z-]+)?$/,
  /^spec\/template\/metadata\/annotations(\/(?:[a-z]+\.)*reloader\.stakater\.com\/[a-z-]+)?$/,
  /^spec\/template\/spec\/containers\/\{"name":"[^"]+"\}\/env(\/\{"name":"(STAKATER_[A-Z0-9_]+|RELOADER_TRIGGERED_AT)"\}(\/(name|value))?)?$/,
  /^spec\/paused$/,
  /^spec\/restartAt$/,
];
/** Custom resources have no keyed lists, so a manager that changes one entry owns the whole list. */
const WHOLE_LISTS = new Set(['Rollout', 'DeploymentConfig']);

export function ownFieldsOnly(chronicle: Chronicle): string[] {
  const broken = new Set<string>();
  for (const kind of RELOADED_KINDS.filter((each) => each !== 'Job')) {
    for (const ref of chronicle.refs(kind)) {
      for (const { object } of chronicle.of(ref)) {
        for (const entry of object.metadata.managedFields ?? []) {
          if (entry.manager !== FIELD_MANAGER) continue;
          const { fieldsV1 = {} } = entry as { fieldsV1?: object };
          for (const path of leaves(fieldsV1)) {
            const list = WHOLE_LISTS.has(kind) && path === 'spec/template/spec/containers';
            if (!list && !OURS.some((pattern) => pattern.test(path)))
              broken.add(`I6: ${FIELD_MANAGER} owns ${path} of ${kind}/${ref.name}`);
          }
        }
      }
    }
  }
  return [...broken];
}

/** `{"f:metadata":{"f:annotations":{".":{},"f:x/y":{}}}}` as `metadata/annotations` and `metadata/annotations/x/y`. */
function* leaves(fields: object, path: readonly string[] = []): Generator<string> {
  const entries = Object.entries(fields as Record<string, object>);
  if (entries.length === 0) yield path.join('/');
  for (const [key, inner] of entries) {
    if (key === '.') yield path.join('/');
    else yield* leaves(inner, [...path, key.slice(2)]);
  }
}
