/** The fields that reloads write on a pod template: variables of the env-vars strategy and three annotations. */
import { FIXED_ANNOTATIONS } from './annotations.ts';
import { hashed } from './hashed.ts';
import { isOurVariable } from './variable.ts';
import type { EnvSlot, WorkloadFacts } from './workload.ts';
import type { PodTemplate } from './workload-object.ts';

export interface OwnFields {
  readonly slots: readonly EnvSlot[];
  readonly annotations: Readonly<Record<string, string>>;
}

const { rolled, lastReloadedFrom, lastReload } = FIXED_ANNOTATIONS;
const WRITTEN = [rolled, lastReloadedFrom, lastReload] as const;
const NO_SLOTS: readonly EnvSlot[] = Object.freeze([]);

export function ownFieldsOf({
  slots,
  templateAnnotations,
}: Pick<WorkloadFacts, 'slots' | 'templateAnnotations'>): OwnFields {
  return { slots, annotations: written(templateAnnotations) };
}

export function ownFieldsOfTemplate(template: PodTemplate): OwnFields {
  return { slots: slotsOf(template), annotations: written(template.metadata?.annotations ?? {}) };
}

export function slotsOf({ spec }: PodTemplate): readonly EnvSlot[] {
  const slots: EnvSlot[] = [];
  (spec?.containers ?? []).forEach(({ name: container = '', env = [] }, containerIndex) => {
    env.forEach(({ name, value = '' }, envIndex) => {
      if (name !== undefined && isOurVariable(name))
        slots.push({ container, containerIndex, envIndex, name, value });
    });
  });
  return slots.length > 0 ? slots : NO_SLOTS;
}

const DIGEST_LENGTH = 12;

/** Equal only if the same values are at the same positions. */
export function ownFieldsDigest({ slots, annotations }: OwnFields): string {
  const places = slots.map(({ containerIndex, container, envIndex, name, value }) => [
    containerIndex,
    container,
    envIndex,
    name,
    value,
  ]);
  const text = JSON.stringify([places, WRITTEN.map((name) => annotations[name] ?? null)]);
  return hashed('sha256', text, 'base64url').slice(0, DIGEST_LENGTH);
}

function written(annotations: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    WRITTEN.flatMap((name) => {
      const value = annotations[name];
      return value === undefined ? [] : [[name, value] as const];
    }),
  );
}
