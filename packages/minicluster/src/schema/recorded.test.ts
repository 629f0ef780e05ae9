/** Custom resources are read and refused as a real API server (Kubernetes 1.36.3) read and refused them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { StatusError } from '../api/status.ts';
import { bodyCases, GADGET_SCHEMA } from './cases/gadget.ts';
import { readCustom } from './custom.ts';
import { validate } from './structural.ts';
import { unknownFieldWarnings } from './typed.ts';

interface Answer {
  readonly code: number;
  readonly warnings?: string[];
  readonly object?: Record<string, unknown>;
  readonly error?: { message: string; causes?: { field: string; reason: string; message: string }[] };
}

const recorded = JSON.parse(
  readFileSync(new URL('./cases/recorded.generated.json', import.meta.url), 'utf8'),
) as { bodies: Record<string, Answer> };

const GVK = { group: 'example.org', version: 'v1', kind: 'Gadget' };
const byText = <T>(list: readonly T[]): T[] =>
  [...list].sort((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
const plain = (list: readonly object[] = []): object[] =>
  byText(list.map((each) => Object.fromEntries(Object.entries(each).sort())));

describe('bodies of custom resources', () => {
  it.each(bodyCases)('$name', ({ name, body }) => {
    const answer = recorded.bodies[name] as Answer;
    let read: ReturnType<typeof readCustom>;
    try {
      read = readCustom(body, GVK, GADGET_SCHEMA);
    } catch (error) {
      expect(error).toBeInstanceOf(StatusError);
      expect({ code: (error as StatusError).body.code, message: (error as StatusError).message }).toEqual({
        code: answer.code,
        message: answer.error?.message,
      });
      return;
    }
    const { status: _, ...withoutStatus } = read.object;
    const errors = validate(withoutStatus, GADGET_SCHEMA);
    expect(plain(errors)).toEqual(plain(answer.error?.causes));
    if (!answer.object) return;
    const { metadata: __, ...object } = withoutStatus;
    expect(object).toEqual(answer.object);
    expect(unknownFieldWarnings(read.unknown)).toEqual(answer.warnings ?? []);
  });
});
