/** I10: no byte of a secret value is in logs, metrics, events, statuses, annotations or anywhere but in the Secret. */

import { RECORDED } from '../kinds.ts';
import { CANARY, CANARY_BASE64 } from '../names.ts';
import type { Stage } from '../stage.ts';

export async function noSecretsAnywhere({ chronicle, operators }: Stage): Promise<string[]> {
  const leaks = (text: string): boolean => text.includes(CANARY) || text.includes(CANARY_BASE64);
  const broken: string[] = [];
  for (const operator of operators) {
    if (leaks(operator.logText())) broken.push('I10: a secret value stands in the log');
    if (leaks(await operator.metrics().catch(() => '')))
      broken.push('I10: a secret value stands in the metrics');
  }
  for (const { kind } of RECORDED) {
    if (kind === 'Secret') continue;
    for (const ref of chronicle.refs(kind)) {
      if (chronicle.of(ref).some(({ object }) => leaks(JSON.stringify(object))))
        broken.push(`I10: a secret value stands in ${kind}/${ref.name}`);
    }
  }
  return broken;
}
