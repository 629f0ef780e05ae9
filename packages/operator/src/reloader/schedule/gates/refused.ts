/**
 * Evidence: this very content failed here, what was before it was put back, and somebody wrote it again. It holds that
 * content and nothing else; to write against somebody a second time would be a fight.
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
    const message = `${what}, and nothing is put back twice. Put it right where it is kept (${causes}): newer content is rolled out, "${command}" rolls out this one`;
    return {
      until: undefined,
      message,
      warnings: [{ condition: 'RestoreFought', event: 'RestoreFought', message }],
    };
  },
};
