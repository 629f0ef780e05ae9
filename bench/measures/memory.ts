import { createSources } from '../fixtures.ts';
import { type Measure, mb, ms, times } from '../measure.ts';
import { runSubject, type SubjectResult } from '../subject.ts';

const SOURCES = 5_000;
const BYTES = 8_192;

export const memory: Measure = {
  name: 'memory',
  title: `Watching ${SOURCES.toLocaleString('en')} Secrets and as many ConfigMaps of 8 KB, keeping digests`,
  how: 'Each program runs alone, as an operator is started. Resident memory 1.5 s after it is in sync, and the peak until then. Ours asks for protobuf. The floor is a bare watch-list program over `node:http2` that reads JSON (`bench/subjects/sources-bare.mjs`); the comparison is the informer of `@kubernetes/client-node`.',
  async run(cluster) {
    const running = await cluster();
    await createSources(running, SOURCES, BYTES);
    const subject = (name: string, ...args: readonly string[]): Promise<SubjectResult> =>
      runSubject(name, [running.kubeconfig, ...args]);
    const bare = await subject('sources-bare');
    const ours = await subject('sources-runtime');
    const asJson = await subject('sources-runtime', 'json');
    const official = await subject('sources-client-node');
    const seconds = ({ printed }: SubjectResult): string => ms(Number(printed.syncedMs));
    if (ours.printed.objects !== bare.printed.objects)
      throw new Error('the informers hold another number of objects');
    return [
      {
        what: 'resident',
        ours: `${mb(ours.residentMB)}, ${times(ours.residentMB / bare.residentMB)} the floor`,
        floor: mb(bare.residentMB),
        others: mb(official.residentMB),
        target: 'at most 1.15 times',
        met: ours.residentMB <= 1.15 * bare.residentMB,
      },
      {
        what: 'peak',
        ours: `${mb(ours.peakMB)}, ${times(ours.peakMB / bare.peakMB)} the floor`,
        floor: mb(bare.peakMB),
        others: mb(official.peakMB),
        target: 'at most 1.15 times',
        met: ours.peakMB <= 1.15 * bare.peakMB,
      },
      {
        what: 'until in sync',
        ours: `${seconds(ours)}; ${seconds(asJson)} if it asks for JSON`,
        floor: seconds(bare),
        others: seconds(official),
      },
    ];
  },
};
