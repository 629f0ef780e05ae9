/** Reports where an installation keeps its digest key, from its meta info. */
import { ApiError, type Client, kinds } from '@reloader/runtime';
import type { KeyPlace } from '../../reloader/model/key-place.ts';
import { aboutDigestKey } from '../../reloader/report/digest-key.ts';
import { META_INFO_CONFIG_MAP } from '../../reloader/report/meta-info.ts';
import { type CheckFinding, ok, warning } from './finding.ts';

const CHECK = 'digest key';
const PLACES: readonly KeyPlace[] = ['secret', 'config-map', 'process', 'none'];

/** Returns nothing if the meta info cannot be read, or is of a version that does not say. */
export async function checkDigestKey(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<readonly CheckFinding[]> {
  const place = await placeIn(client, namespace, signal);
  if (!place) return [];
  const [weak] = aboutDigestKey(place);
  if (!weak) return [ok(CHECK, 'stands in a Secret')];
  const [message = '', fix = ''] = weak.message.split(/: (?=allow|leave)/);
  return [warning(CHECK, message, fix)];
}

async function placeIn(
  client: Client,
  namespace: string,
  signal: AbortSignal,
): Promise<KeyPlace | undefined> {
  try {
    const key = { namespace, name: META_INFO_CONFIG_MAP };
    const { data } = await client.get(kinds.ConfigMap, key, { signal });
    const { digestKey } = JSON.parse(data?.reloaderOptions ?? '{}') as { digestKey?: unknown };
    return PLACES.find((each) => each === digestKey);
  } catch (error) {
    if (error instanceof ApiError || error instanceof SyntaxError) return undefined;
    throw error;
  }
}
