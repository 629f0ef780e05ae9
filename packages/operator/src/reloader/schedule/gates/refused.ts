/**
 * This content failed here, the earlier content was restored, and another client wrote the failed content again. The
 * gate holds that content only; restoring a second time would be a fight with that client.
 */
import type { Gate } from './gate.ts';

export const refused: Gate = {
  why: 'refused',
  yieldsToNow: true,
  check({ refused: changes = [], causes, workload }) {
    const [first] = changes;
    if (!first) return undefined;
    const { kind, metadata } = workload;
    const { source } = first;
    const command = `reloader now ${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace}`;
    const what = `This content of ${source.kind} ${source.namespace}/${source.name} failed here, and the one before it was put back; now it was written again`;
    const message = `${what}, and nothing is put back twice. Put it right where it is kept (${causes()}): newer content is rolled out, "${command}" rolls out this one`;
    return {
      until: undefined,
      message,
      warnings: [{ condition: 'RestoreFought', event: 'RestoreFought', message }],
    };
  },
};
