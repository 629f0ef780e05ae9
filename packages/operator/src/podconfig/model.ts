/** The cached fields of pods, configs and generated ConfigMaps: only those that the generated data is made of. */
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

/** From the schema; users may leave every field out, and old objects may hold nulls. */
type Defined = ObjectOf<typeof PodConfigMapConfigKind>;
export type PodConfigMapConfigStatus = NonNullable<Defined['status']>;

export interface PodConfigMapConfig extends KubernetesObject {
  spec?: { [F in keyof Defined['spec']]: Defined['spec'][F] | null };
  status?: PodConfigMapConfigStatus;
}

export const PodConfigMapConfigs: ResourceType<PodConfigMapConfig> = resource;

/** Why a config or one of its ConfigMaps is not up to date; `reason` is the reason of the Ready condition. */
export interface Trouble {
  readonly reason:
    | 'ErrorInPodSelector'
    | 'InvalidTemplate'
    | 'NameConflict'
    | 'DataTooLarge'
    | 'Forbidden'
    | 'WriteFailed';
  readonly message: string;
  /** The config does not select the pod: a ConfigMap is left over. */
  readonly leftOver?: true;
}

export interface PcmcFacts {
  readonly metadata: Identity;
  readonly generation: number;
  /** Seconds since the epoch. */
  readonly createdAt: number;
  readonly deleting: boolean;
  /** Undefined if it cannot be read: then it selects nothing, and existing ConfigMaps stay. */
  readonly selector: Selector | undefined;
  /** The data key for each label or annotation of a pod. Computed once for all pods, whether they have it or not. */
  readonly labels: ReadonlyMap<string, string>;
  readonly annotations: ReadonlyMap<string, string>;
  /** Template texts by data key, sorted. */
  readonly templates: ReadonlyMap<string, string>;
  /** The mistake in the spec itself. */
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
  /** The value of our label: the name of the config. */
  readonly config: string;
  readonly podUid: string;
  /** The Pod that controls it. */
  readonly owner: string | undefined;
  /** The pod that it was made for: its owner or, if a user removed the owner reference, the pod in its name. */
  readonly pod: string | undefined;
  /** Labels, owner and name all prove that we made it: only then may it be deleted. */
  readonly proven: boolean;
  readonly deleting: boolean;
  /** Over data, our two labels and the owner references: equal digests need no write. */
  readonly digest: string;
}
