/** Warnings about a pod spec: definitions that hide each other, and values without effect. */
import { type Fields, integer, record, records, text } from '../fields.ts';
import { quantity } from '../validate/quantity.ts';

export const podTemplateWarnings = (template: unknown, path: string): string[] =>
  podSpecWarnings(record(template).spec, `${path}.spec`);

interface Located {
  readonly path: string;
  readonly value: Fields;
}

export function podSpecWarnings(value: unknown, path: string): string[] {
  const spec = record(value);
  const containers = ['initContainers', 'containers'].flatMap((list) =>
    located(spec[list], `${path}.${list}`),
  );
  const warnings = containers.flatMap((container) => [
    ...fractionalBytes(container),
    ...hiddenVariables(container),
  ]);
  const ports = containers.flatMap((container) => located(container.value.ports, `${container.path}.ports`));
  warnings.push(...repeatedPorts(ports), ...repeatedPortNames(ports));
  if (integer(spec.terminationGracePeriodSeconds) < 0) {
    warnings.push(
      `${path}.terminationGracePeriodSeconds: must be >= 0; negative values are invalid and will be treated as 1`,
    );
  }
  return warnings;
}

const located = (list: unknown, path: string): Located[] =>
  records(list).map((value, index) => ({ value, path: `${path}[${index}]` }));

function fractionalBytes({ path, value }: Located): string[] {
  const resources = record(value.resources);
  return ['memory', 'ephemeral-storage'].flatMap((resource) =>
    ['limits', 'requests'].flatMap((kind) => {
      const amount = record(resources[kind])[resource];
      if ((quantity(amount) ?? 0n) % 1_000_000_000n === 0n) return [];
      return [
        `${path}.resources.${kind}[${resource}]: fractional byte value "${String(amount)}" is invalid, must be an integer`,
      ];
    }),
  );
}

/** A later variable of the same name is fine only if it references the earlier one. */
function hiddenVariables({ path, value }: Located): string[] {
  const seen = new Set<string>();
  return records(value.env).flatMap((variable, index) => {
    const name = text(variable.name);
    if (!seen.has(name)) {
      seen.add(name);
      return [];
    }
    const reference = `$(${name})`;
    const content = text(variable.value);
    if (!variable.valueFrom && content !== reference && content.includes(reference)) return [];
    return [
      `${path}.env[${index}]: hides previous definition of "${name}", which may be dropped when using apply`,
    ];
  });
}

function repeatedPorts(ports: readonly Located[]): string[] {
  return ports.flatMap((port, index) =>
    ports.slice(0, index).flatMap((other) => {
      const same = (field: string): boolean => (port.value[field] ?? '') === (other.value[field] ?? '');
      if (!same('containerPort') || !same('protocol')) return [];
      if (same('hostIP') && same('hostPort'))
        return [`${port.path}: duplicate port definition with ${other.path}`];
      if (!port.value.hostPort || !other.value.hostPort) {
        return [`${port.path}: overlapping port definition with ${other.path}`];
      }
      return [];
    }),
  );
}

function repeatedPortNames(ports: readonly Located[]): string[] {
  const first = new Map<string, string>();
  return ports.flatMap(({ path, value }) => {
    const name = text(value.name);
    if (name === '') return [];
    const other = first.get(name);
    if (other === undefined) {
      first.set(name, path);
      return [];
    }
    return [
      `${path}: duplicate port name "${name}" with ${other}, services and probes that select ports by name will use ${other}`,
    ];
  });
}
