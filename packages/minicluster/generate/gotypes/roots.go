package main

import (
	admissionregistration "k8s.io/api/admissionregistration/v1"
	apps "k8s.io/api/apps/v1"
	authentication "k8s.io/api/authentication/v1"
	authorization "k8s.io/api/authorization/v1"
	autoscaling "k8s.io/api/autoscaling/v1"
	autoscalingv2 "k8s.io/api/autoscaling/v2"
	batch "k8s.io/api/batch/v1"
	coordination "k8s.io/api/coordination/v1"
	core "k8s.io/api/core/v1"
	discovery "k8s.io/api/discovery/v1"
	events "k8s.io/api/events/v1"
	networking "k8s.io/api/networking/v1"
	policy "k8s.io/api/policy/v1"
	rbac "k8s.io/api/rbac/v1"
	scheduling "k8s.io/api/scheduling/v1"
	storage "k8s.io/api/storage/v1"
	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	apiregistration "k8s.io/kube-aggregator/pkg/apis/apiregistration/v1"
)

var packages = []func(*runtime.Scheme) error{
	admissionregistration.AddToScheme, apps.AddToScheme, authentication.AddToScheme, authorization.AddToScheme,
	autoscaling.AddToScheme, autoscalingv2.AddToScheme, batch.AddToScheme, coordination.AddToScheme, core.AddToScheme,
	discovery.AddToScheme, events.AddToScheme, networking.AddToScheme, policy.AddToScheme, rbac.AddToScheme,
	scheduling.AddToScheme, storage.AddToScheme, apiextensions.AddToScheme, apiregistration.AddToScheme,
}

// The kinds of the table, as group/version/Kind. A further one is a further line here.
var roots = []string{
	"/v1/Namespace", "/v1/Pod", "/v1/Secret", "/v1/ConfigMap", "/v1/Service", "/v1/ServiceAccount", "/v1/Event",
	"/v1/Node", "/v1/Endpoints", "/v1/ReplicationController", "/v1/ResourceQuota", "/v1/LimitRange", "/v1/PodTemplate",
	"/v1/PersistentVolume", "/v1/PersistentVolumeClaim", "/v1/Binding", "/v1/DeleteOptions",
	"apps/v1/Deployment", "apps/v1/ReplicaSet", "apps/v1/StatefulSet", "apps/v1/DaemonSet", "apps/v1/ControllerRevision",
	"batch/v1/Job", "batch/v1/CronJob",
	"policy/v1/PodDisruptionBudget", "policy/v1/Eviction",
	"networking.k8s.io/v1/Ingress", "networking.k8s.io/v1/IngressClass", "networking.k8s.io/v1/NetworkPolicy",
	"rbac.authorization.k8s.io/v1/Role", "rbac.authorization.k8s.io/v1/RoleBinding",
	"rbac.authorization.k8s.io/v1/ClusterRole", "rbac.authorization.k8s.io/v1/ClusterRoleBinding",
	"apiextensions.k8s.io/v1/CustomResourceDefinition", "apiregistration.k8s.io/v1/APIService",
	"admissionregistration.k8s.io/v1/MutatingWebhookConfiguration",
	"admissionregistration.k8s.io/v1/ValidatingWebhookConfiguration",
	"coordination.k8s.io/v1/Lease", "events.k8s.io/v1/Event", "discovery.k8s.io/v1/EndpointSlice",
	"scheduling.k8s.io/v1/PriorityClass", "storage.k8s.io/v1/StorageClass",
	"autoscaling/v1/Scale", "autoscaling/v1/HorizontalPodAutoscaler", "autoscaling/v2/HorizontalPodAutoscaler",
	"authentication.k8s.io/v1/TokenReview", "authentication.k8s.io/v1/TokenRequest",
	"authentication.k8s.io/v1/SelfSubjectReview",
	"authorization.k8s.io/v1/SubjectAccessReview", "authorization.k8s.io/v1/SelfSubjectAccessReview",
	"authorization.k8s.io/v1/LocalSubjectAccessReview", "authorization.k8s.io/v1/SelfSubjectRulesReview",
}
