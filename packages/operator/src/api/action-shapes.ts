/** Requests of people who act by the page, and their answers. Part of `shapes.ts`. */

/** The actions that the page offers. */
export type ActionName = 'freeze' | 'unfreeze' | 'approve' | 'now';

/** A workload by kind, namespace and name; a Namespace by namespace alone; or the whole cluster. */
export interface ActionTarget {
  readonly kind?: string;
  readonly namespace?: string;
  readonly name?: string;
  /** Everything that this operator reloads: its own Namespace is annotated. */
  readonly cluster?: boolean;
}

export interface ActionRequest {
  readonly target: ActionTarget;
  /** Of `approve` and `now`: the change that the person saw. If another one waits by then, nothing is done. */
  readonly change?: string;
  /** Of `freeze`: the reason, shown with the freeze. */
  readonly reason?: string;
}

export interface ActionAnswer {
  readonly done: ActionName;
}
