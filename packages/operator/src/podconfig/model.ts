/** What is kept of pods, configs and generated ConfigMaps: only what the generated data is made of. */
import type { Condition, KubernetesObject, LabelSelector, ResourceType, Selector } from '@reloader/runtime';

export const GENERATED_BY = 'podconfig.example.com/generated-by-pcmc';
export const POD_UID = 'podconfig.example.com/pod-uid';

interface Identity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface PodConfigMapConfigStatus {
  observedGeneration?: number;
  conditions?: Condition[];
  matchedPods?: number;
  managedConfigMaps?: number;
}

export interface PodConfigMapConfig extends KubernetesObject {
  spec?: {
    podSelector?: LabelSelector | null;
    labelsToInclude?: string[] | null;
    annotationsToInclude?: string[] | null;
    configMapDataTemplate?: Record<string, string> | null;
  };
  status?: PodConfigMapConfigStatus;
}

export const PodConfigMapConfigs: ResourceType<PodConfigMapConfig> = {
  group: 'podconfig.example.com',
  version: 'v1alpha1',
  kind: 'PodConfigMapConfig',
  plural: 'podconfigmapconfigs',
  namespaced: true,
};

/** Why a config or one of its ConfigMaps is not as it should be; `reason` stands in the Ready condition. */
export interface Trouble {
  readonly reason:
    | 'ErrorInPodSelector'
    | 'InvalidTemplate'
    | 'NameConflict'
    | 'DataTooLarge'
    | 'Forbidden'
    | 'WriteFailed';
  readonly message: string;
}

export interface PcmcFacts {
  readonly metadata: Identity;
  readonly generation: number;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly deleting: boolean;
  /** Undefined when it cannot be read: then it selects nothing, and what exists stays. */
  readonly selector: Selector | undefined;
  /** Of the pod, by key: the data key for each. Named once for all pods, whether they have it or not. */
  readonly labels: ReadonlyMap<string, string>;
  readonly annotations: ReadonlyMap<string, string>;
  /** Their texts by data key, sorted. */
  readonly templates: ReadonlyMap<string, string>;
  /** What is wrong with the spec itself. */
  readonly trouble: Trouble | undefined;
  readonly status: PodConfigMapConfigStatus;
}

export interface PodFacts {
  readonly metadata: Identity;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly createdAt: string;
  readonly deleting: boolean;
  readonly nodeName: string;
  readonly serviceAccountName: string;
  readonly phase: string;
  readonly podIP: string;
  readonly hostIP: string;
  readonly containers: readonly { readonly name: string; readonly image: string }[];
}

export interface GeneratedFacts {
  readonly metadata: Identity;
  /** The value of our label: names the config. */
  readonly config: string;
  readonly podUid: string;
  /** The Pod that controls it. */
  readonly owner: string | undefined;
  /** The pod that it was made for: its owner, or where somebody took that away, what its name says. */
  readonly pod: string | undefined;
  /** Labels, owner and name all say that we made it: only then it may be deleted. */
  readonly proven: boolean;
  readonly deleting: boolean;
  /** Of data, our two labels and the owner references: equal digests need no write. */
  readonly digest: string;
}
