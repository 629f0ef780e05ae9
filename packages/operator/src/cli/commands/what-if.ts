/** `reloader what-if KIND/NAME` */

import type { WhatIf } from '../../api/shapes.ts';
import { whatIf } from '../../api/what-if.ts';
import { ConfigMaps, ProviderClasses, Secrets } from '../../reloader/model/kinds.ts';
import type { SourceRef } from '../../reloader/model/source.ts';
import type { CommandIO } from '../command-io.ts';
import { placed } from '../everywhere.ts';
import { CommandFailure } from '../failure.ts';
import { openLocalView } from '../local-view.ts';
import { parseSources } from '../objects.ts';
import { type Answer, type CommonOptions, show } from '../output.ts';
import { withProgress } from '../progress.ts';
import { byOperator, clusterOf, operatorOf, type Provenance, type Session, withSession } from '../session.ts';
import { inNamespace } from '../texts/names.ts';
import { predictionText } from '../texts/prediction.ts';
import { assertNamespace } from './explain.ts';

const SOURCE_TYPES = {
  Secret: Secrets,
  ConfigMap: ConfigMaps,
  SecretProviderClass: ProviderClasses,
} as const;

export interface WhatIfCommandOptions extends CommonOptions {
  readonly deleted?: boolean;
  readonly key?: readonly string[];
}

export function whatIfCommand(
  words: readonly string[],
  options: WhatIfCommandOptions,
  io: CommandIO,
): Promise<void> {
  const named = parseSources(words);
  return withSession(options, io, async (session) => {
    const answers: Answer[] = [];
    for (const ref of await placed(named, SOURCE_TYPES, options.allNamespaces === true, session)) {
      if (session.connection) await assertNamespace(ref.namespace, session);
      const { answer, provenance, isBeforeInstallation } = await predictionOf(ref, options, session);
      answers.push({
        data: answer,
        provenance,
        text: (style, wide) => predictionText(answer, style, { ...io, wide, isBeforeInstallation }),
        names: () => answer.reloads.map(({ workload }) => inNamespace(workload)),
      });
    }
    await show(answers, options, io);
  });
}

interface Foretold {
  readonly answer: WhatIf;
  readonly provenance: Provenance;
  readonly isBeforeInstallation?: boolean;
}

async function predictionOf(
  ref: SourceRef,
  { deleted = false, key = [] }: WhatIfCommandOptions,
  session: Session,
): Promise<Foretold> {
  const operator = await operatorOf(session);
  if ('api' in operator) {
    const query = new URLSearchParams({ kind: ref.kind, ns: ref.namespace, name: ref.name });
    if (deleted) query.set('deleted', 'true');
    for (const each of key) query.append('key', each);
    const answer = await operator.api.get<WhatIf>(`what-if?${query}`);
    if (!answer) throw new CommandFailure(`${operator.api.where} cannot answer that: is it of this version?`);
    return { answer, provenance: byOperator(operator.api) };
  }
  const { io, options } = session;
  const { client } = clusterOf(session);
  const { operatorNamespace } = options;
  const where = {
    client,
    namespace: ref.namespace,
    unreachable: operator.unreachable,
    isAboutAChange: true,
    ...(operatorNamespace !== undefined && { operatorNamespace }),
  };
  return withProgress('Reading the cluster', io, async () => {
    const view = await openLocalView(where, io);
    try {
      const how = { deleted, ...(key.length > 0 && { keys: key }) };
      const answer = await whatIf(ref, how, view.clusterView, io.signal);
      const { limits, isBeforeInstallation } = view;
      return { answer, isBeforeInstallation, provenance: { answeredBy: 'this command', limits } };
    } finally {
      await view.close();
    }
  });
}
