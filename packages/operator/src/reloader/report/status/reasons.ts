/** The reasons of a ReloaderConfig's conditions. A test checks that the documentation has each of them. */

/** Conditions that exist only while they are true; the type is also the reason. */
export const SPECIAL = [
  'CrossNamespaceDenied',
  'Shared',
  'QuestionableSpec',
  'SourceFiltered',
  'NotebookContended',
  'NotebookUnavailable',
  'OtherInstallation',
  'Reverted',
  'TooManySources',
  'WaitingForWorkload',
  'RolloutFailed',
  'RestoreRefused',
  'RestoreFought',
  'EvictionBlocked',
  'InvalidWindow',
  'InvalidBudget',
  'InvalidCondition',
  'InvalidOrder',
  'Overdue',
  'RateLimited',
  'ManyDoubts',
  'FailedElsewhere',
  'InvalidChange',
  'LargeFanOut',
  'AlertFailed',
  'WeakDigestKey',
] as const;

/** Reasons that are faults, the most severe first. The first that holds is the reason of Degraded and Ready. */
export const DEGRADING = [
  'InvalidSpec',
  'InvalidWindow',
  'InvalidBudget',
  'InvalidCondition',
  'InvalidOrder',
  'NoTargets',
  'NothingWatched',
  'CrossNamespaceDenied',
  'KindUnavailable',
  'TargetNotFound',
  'ResourceNotFound',
  'ResourceUnreadable',
  'ReloadFailed',
  'RolloutFailed',
  'RestoreFought',
  'RestoreRefused',
  'FailedElsewhere',
  'InvalidChange',
  'NotebookContended',
  'OtherInstallation',
  'Reverted',
  'ManyDoubts',
  'TooManySources',
];

/** The faults with which the config cannot work, or not as specified, until a user changes it. */
export const DISABLING = ['InvalidSpec', 'NoTargets', 'NothingWatched'];

/** The faults that need a person to act. */
export const STALLING = [
  ...DISABLING,
  'InvalidWindow',
  'InvalidBudget',
  'InvalidCondition',
  'InvalidOrder',
  'CrossNamespaceDenied',
  'KindUnavailable',
  'RolloutFailed',
  'RestoreFought',
  'RestoreRefused',
  'FailedElsewhere',
  'InvalidChange',
  'OtherInstallation',
  'Reverted',
  'ManyDoubts',
  'TooManySources',
];
