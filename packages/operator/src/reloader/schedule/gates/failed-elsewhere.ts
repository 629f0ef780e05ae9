/**
 * The same content has failed on a peer. The gate holds that content only, so newer content passes everywhere; it also
 * opens when the failure is repaired, or its workload is deleted.
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
