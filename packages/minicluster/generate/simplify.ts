/** Reduces a real server's OpenAPI v3 schemas to the few facts that minicluster uses. */

type Node = Record<string, unknown>;
interface Gvk {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

const PREFIX = '#/components/schemas/';
const GVK = 'x-kubernetes-group-version-kind';

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function withoutDefault({ default: _, ...schema }: Node): Node {
  return schema;
}

function simplifySchema(schema: Node, references: Set<string>): Node {
  const [only, ...others] = Array.isArray(schema.allOf) ? (schema.allOf as Node[]) : [];
  const result: Node = {};
  if (only && others.length === 0) Object.assign(result, simplifySchema(only, references));
  for (const [key, value] of Object.entries(schema)) {
    if (key === '$ref') {
      const name = (value as string).slice(PREFIX.length);
      references.add(name);
      result.$ref = `#/definitions/${name}`;
    } else if (key === 'properties') {
      result.properties = Object.fromEntries(
        Object.entries(value as Node).map(([name, property]) => [
          name,
          simplifySchema(property as Node, references),
        ]),
      );
    } else if (key === 'items' || key === 'additionalProperties') {
      result[key] = isNode(value) ? withoutDefault(simplifySchema(value, references)) : value;
    } else if (key === 'default') {
      // A scalar's default fills a list item's missing key; `{}` has no meaning here.
      if (!isNode(value)) result.default = value;
    } else if (!['description', 'allOf', GVK, 'x-kubernetes-unions'].includes(key)) {
      result[key] = value;
    }
  }
  return result;
}

/** The definitions of the wanted kinds, including everything they refer to. */
export function simplify(all: Record<string, Node>, wanted: readonly Gvk[]): Record<string, Node> {
  const result: Record<string, Node> = {};
  const open = new Set<string>();
  const gvks = new Map<string, Gvk>();
  for (const gvk of wanted) {
    const found = Object.entries(all).find(([, schema]) =>
      ((schema[GVK] ?? []) as Gvk[]).some(
        (each) => each.group === gvk.group && each.version === gvk.version && each.kind === gvk.kind,
      ),
    );
    if (!found) throw new Error(`no schema for ${gvk.group}/${gvk.version} ${gvk.kind}`);
    gvks.set(found[0], gvk);
    open.add(found[0]);
  }
  for (const name of open) {
    const schema = all[name];
    if (!schema) throw new Error(`no schema named ${name}`);
    result[name] = simplifySchema(schema, open);
    const gvk = gvks.get(name);
    if (gvk) result[name] = { ...result[name], [GVK]: [gvk] };
  }
  return result;
}
