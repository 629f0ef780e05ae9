/**
 * Evidence: the same content has failed on a peer. It holds that content and nothing else, so whatever is newer goes
 * through everywhere; a failure that heals, or whose workload is gone, opens it, too.
 */
import { parseWorkloadKey } from '../../model/workload.ts';
import type { Gate } from './gate.ts';

export const failedOnPeer: Gate = {
  why: 'failed-elsewhere',
  yieldsToNow: true,
  check({ failures = [], workload }) {
    const [first, ...others] = failures;
    if (!first) return undefined;
    const { kind, metadata } = workload;
    const { source, seq } = first;
    const peer = parseWorkloadKey(first.workload);
    const where = `${peer.kind} ${peer.namespace}/${peer.name}`;
    const more = others.length > 0 ? ` and ${others.length} more` : '';
    const what = `This content of ${source.kind} ${source.namespace}/${source.name} failed on ${where}${more}`;
    const command = `reloader now ${kind.toLowerCase()}/${metadata.name} -n ${metadata.namespace}`;
    const message = `${what} (reload ${seq}: ${first.message}): newer content is rolled out, "${command}" rolls out this one`;
    return {
      until: undefined,
      message,
      peers: failures.slice(0, 1).map((failure) => failure.workload),
      warnings: [{ condition: 'FailedElsewhere', event: 'FailedElsewhere', message }],
    };
  },
};
