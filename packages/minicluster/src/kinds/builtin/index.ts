/** All built-in kinds, in the order that discovery lists them: by group, and within a group as listed here. */
import type { Kind } from '../kind.ts';
import { mutatingWebhookConfigurations, validatingWebhookConfigurations } from './admission.ts';
import { customResourceDefinitions } from './apiextensions.ts';
import { apiServices } from './apiregistration.ts';
import { controllerRevisions } from './apps/controller-revisions.ts';
import { daemonSets } from './apps/daemon-sets.ts';
import { deployments } from './apps/deployments.ts';
import { replicaSets } from './apps/replica-sets.ts';
import { statefulSets } from './apps/stateful-sets.ts';
import { horizontalPodAutoscalers } from './autoscaling.ts';
import { cronJobs } from './batch/cron-jobs.ts';
import { jobs } from './batch/jobs.ts';
import { leases } from './coordination.ts';
import { configMaps, secrets } from './core/config.ts';
import { endpointSlices, endpoints } from './core/endpoints.ts';
import { coreEvents, events } from './core/events.ts';
import { namespaces } from './core/namespaces.ts';
import { nodes } from './core/nodes.ts';
import { bindings, pods, podTemplates } from './core/pods.ts';
import { limitRanges, resourceQuotas } from './core/quotas.ts';
import { replicationControllers } from './core/replication-controllers.ts';
import { serviceAccounts } from './core/service-accounts.ts';
import { services } from './core/services.ts';
import { persistentVolumeClaims, persistentVolumes } from './core/volumes.ts';
import { ingressClasses, ingresses, networkPolicies } from './networking.ts';
import { podDisruptionBudgets } from './policy.ts';
import { clusterRoleBindings, clusterRoles, roleBindings, roles } from './rbac.ts';
import { reviews } from './reviews.ts';
import { priorityClasses } from './scheduling.ts';
import { storageClasses } from './storage.ts';

export const builtinKinds: readonly Kind[] = [
  bindings,
  configMaps,
  endpoints,
  coreEvents,
  limitRanges,
  namespaces,
  nodes,
  persistentVolumeClaims,
  persistentVolumes,
  pods,
  podTemplates,
  replicationControllers,
  resourceQuotas,
  secrets,
  serviceAccounts,
  services,
  apiServices,
  controllerRevisions,
  daemonSets,
  deployments,
  replicaSets,
  statefulSets,
  events,
  ...reviews,
  horizontalPodAutoscalers,
  cronJobs,
  jobs,
  ingressClasses,
  ingresses,
  networkPolicies,
  podDisruptionBudgets,
  clusterRoleBindings,
  clusterRoles,
  roleBindings,
  roles,
  storageClasses,
  mutatingWebhookConfigurations,
  validatingWebhookConfigurations,
  customResourceDefinitions,
  priorityClasses,
  leases,
  endpointSlices,
];
