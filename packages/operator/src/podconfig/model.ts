/** What is kept of pods, configs and generated ConfigMaps: only what the generated data is made of. */
import type { KubernetesObject, ObjectOf, ResourceType, Selector } from '@reloader/runtime';
import type { PodConfigMapConfigKind } from '../crds/pod-config-map-config.ts';
import { PodConfigMapConfigs as resource } from '../crds/pod-config-map-config-resource.ts';

export const GENERATED_BY = 'podconfig.example.com/generated-by-pcmc';
export const POD_UID = 'podconfig.example.com/pod-uid';

interface Identity {
  readonly name: string;
  readonly namespace: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

/** From the schema; whoever writes one may leave everything out, and old objects may hold nulls. */
type Defined = ObjectOf<typeof PodConfigMapConfigKind>;
export type PodConfigMapConfigStatus = NonNullable<Defined['status']>;

export interface PodConfigMapConfig extends KubernetesObject {
  spec?: { [F in keyof Defined['spec']]: Defined['spec'][F] | null };
  status?: PodConfigMapConfigStatus;
}

export const PodConfigMapConfigs: ResourceType<PodConfigMapConfig> = resource;

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
