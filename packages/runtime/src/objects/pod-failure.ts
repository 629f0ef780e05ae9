/** Why a pod will not become ready by itself. Pure. */
import type { KubernetesObject } from '../model/types.ts';

/** Why a pod will not become ready by itself. */
export interface PodFailure {
  readonly pod: string;
  readonly container: string;
  /** CrashLoopBackOff, ImagePullBackOff, CreateContainerConfigError … */
  readonly reason: string;
  /** From the container's last termination. */
  readonly exitCode?: number;
  readonly restarts: number;
  /** Only for reasons whose messages name an image or a missing object: others may quote a container's arguments. */
  readonly message?: string;
}

interface ContainerStatus {
  name?: string;
  restartCount?: number;
  state?: {
    waiting?: { reason?: string; message?: string };
    terminated?: { exitCode?: number; reason?: string };
  };
  lastState?: { terminated?: { exitCode?: number } };
}

interface PodLike extends KubernetesObject {
  status?: { containerStatuses?: ContainerStatus[]; initContainerStatuses?: ContainerStatus[] };
}

const WITH_MESSAGE = new Set([
  'ErrImagePull',
  'ImagePullBackOff',
  'ErrImageNeverPull',
  'InvalidImageName',
  'CreateContainerConfigError',
]);
const FAILING = new Set([...WITH_MESSAGE, 'CrashLoopBackOff', 'CreateContainerError', 'RunContainerError']);
const LONGEST_MESSAGE = 200;

/** The first failing container, init containers first; undefined for a pod that may still become ready. */
export function podFailure(object: KubernetesObject & { readonly status?: unknown }): PodFailure | undefined {
  const { metadata, status = {} } = object as PodLike;
  const pod = metadata?.name ?? '';
  for (const each of [...(status.initContainerStatuses ?? []), ...(status.containerStatuses ?? [])]) {
    const { name = '', restartCount: restarts = 0, state, lastState } = each;
    const { waiting, terminated } = state ?? {};
    const code = terminated?.exitCode ?? lastState?.terminated?.exitCode;
    const exitCode = code === undefined ? {} : { exitCode: code };
    if (waiting?.reason !== undefined && FAILING.has(waiting.reason)) {
      const { reason } = waiting;
      const message = WITH_MESSAGE.has(reason) ? waiting.message?.slice(0, LONGEST_MESSAGE) : undefined;
      return { pod, container: name, reason, restarts, ...exitCode, ...(message && { message }) };
    }
    // Between a termination and the next start it is neither waiting nor running.
    if (terminated && terminated.exitCode !== 0 && restarts > 0) {
      return { pod, container: name, reason: terminated.reason ?? 'Error', restarts, ...exitCode };
    }
  }
  return undefined;
}

/** `pod web-1: container main: CrashLoopBackOff, exit code 1, 3 restarts` */
export function podFailureText({ pod, container, reason, exitCode, restarts, message }: PodFailure): string {
  const parts = [
    reason,
    ...(exitCode === undefined ? [] : [`exit code ${exitCode}`]),
    ...(restarts === 0 ? [] : [`${restarts} ${restarts === 1 ? 'restart' : 'restarts'}`]),
  ].join(', ');
  return `pod ${pod}: container ${container}: ${parts}${message ? ` (${message})` : ''}`;
}
