/** `reloader version`: the versions of this command, of the operator and of Kubernetes. */

import { packageVersion, versionLine } from '../../settings/version.ts';
import type { Style } from '../../terminal/style.ts';
import { serverVersion } from '../check/cluster.ts';
import type { CommandIO } from '../command-io.ts';
import { messageOf } from '../failure.ts';
import { type CommonOptions, show } from '../output.ts';
import { operatorOf, withSession } from '../session.ts';

export interface VersionOptions extends CommonOptions {
  readonly client?: boolean;
}

interface Versions {
  readonly client: string;
  readonly node: string;
  readonly operator?: string;
  readonly kubernetes?: string;
  /** The reason why the other versions are missing. */
  readonly unknown?: string;
}

export async function versionCommand(options: VersionOptions, io: CommandIO): Promise<void> {
  const own = { client: packageVersion(), node: process.versions.node };
  const data = options.client ? own : { ...own, ...(await serverVersions(options, io)) };
  await show([{ data, text: (style) => versionText(data, style) }], options, io);
}

async function serverVersions(
  options: VersionOptions,
  io: CommandIO,
): Promise<Pick<Versions, 'operator' | 'kubernetes' | 'unknown'>> {
  try {
    return await withSession(options, io, async (session) => {
      const operator = await operatorOf(session);
      const { connection } = session;
      const kubernetes = connection && (await serverVersion(connection.client, io.signal)).gitVersion;
      return {
        ...('api' in operator
          ? { operator: operator.api.status.version }
          : { unknown: `the operator: ${operator.unreachable}` }),
        ...(kubernetes !== undefined && { kubernetes }),
      };
    });
  } catch (error) {
    const why = messageOf(error);
    if (why === undefined || io.signal.aborted) throw error;
    return { unknown: why };
  }
}

function versionText({ client, operator, kubernetes, unknown }: Versions, style: Style): string {
  const skew = operator !== undefined && operator !== client;
  return [
    `${versionLine()}\n`,
    ...(operator === undefined ? [] : [`operator ${skew ? style.warn(operator) : operator}\n`]),
    ...(kubernetes === undefined ? [] : [`Kubernetes ${kubernetes}\n`]),
    ...(unknown === undefined ? [] : [style.dim(`Note: not known: ${unknown}\n`)]),
  ].join('');
}
