/** Workloads whose pods fail, on either server. */
import { behaviourAnnotation, behaviours } from '../../control-plane/stages.ts';
import type { Ref } from '../chronicle.ts';
import { crashAnnotation } from '../content-reader.ts';
import { typeOf } from '../kinds.ts';
import { type WorkloadOptions, workload } from '../objects.ts';
import type { Scene } from '../scene.ts';

/** Its pods crash while the key `mode` of this ConfigMap is `bad`. */
export function crashing(
  s: Scene,
  kind: string,
  name: string,
  configMap: string,
  options: WorkloadOptions,
): Promise<Ref> {
  const when = { kind: 'ConfigMap', name: configMap, key: 'mode', value: 'bad' };
  const templateAnnotations: Record<string, string> = s.isVirtual
    ? { 'minicluster.dev/behaviour': JSON.stringify({ fault: 'crash', when }) }
    : { [behaviourAnnotation]: behaviours.readsContent, [crashAnnotation]: JSON.stringify(when) };
  return s.workload(kind, name, { ...options, templateAnnotations });
}

/**
 * A workload that runs, and crashes after a reload: on minicluster while the key `mode` of this ConfigMap is `bad`,
 * under KWOK with any content, because KWOK cannot read it.
 */
export function breaking(
  s: Scene,
  kind: string,
  name: string,
  configMap: string,
  options: WorkloadOptions,
): Promise<Ref> {
  const when = { kind: 'ConfigMap', name: configMap, key: 'mode', value: 'bad' };
  const templateAnnotations: Record<string, string> = s.isVirtual
    ? { 'minicluster.dev/behaviour': JSON.stringify({ fault: 'crash', when }) }
    : { [behaviourAnnotation]: behaviours.crashOnceReloaded };
  return s.workload(kind, name, { ...options, templateAnnotations });
}

/** Its pods run and never become ready, and their status gives no reason. */
export function neverReady(s: Scene, kind: string, name: string, options: WorkloadOptions): Promise<Ref> {
  const templateAnnotations = {
    'minicluster.dev/behaviour': '{"fault":"never-ready"}',
    [behaviourAnnotation]: behaviours.neverReady,
  };
  return unready(s, kind, name, { ...options, templateAnnotations });
}

async function unready(s: Scene, kind: string, name: string, options: WorkloadOptions): Promise<Ref> {
  const { namespace } = s;
  await s.stage.client.create(typeOf(kind), workload(kind, name, namespace, options), {
    fieldManager: 'user',
  });
  await s.stage.quiet(2_000);
  return { kind, namespace, name };
}
