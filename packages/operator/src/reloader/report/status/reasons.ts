/** The words of a ReloaderConfig's conditions. The documentation has to know each of them, and a test compares. */

/** Conditions that are there only while they are true; the type is also the reason. */
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

/** What is something wrong. The first reason of this list names the conditions Degraded and Ready. */
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

/** Of these, those with which the config can do nothing or not what it says, until somebody changes it. */
export const DISABLING = ['InvalidSpec', 'NoTargets', 'NothingWatched'];

/** Of these, those that do not heal by themselves: a person has to change something. */
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
