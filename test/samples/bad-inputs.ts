/**
 * Mistakes of users, from wrong types to `__proto__`, and where each is reported: when it is applied (`refused`), in a
 * condition of the object (`told`), or by an Event on the workload (`event`).
 */
import type { KubernetesObject } from '@reloader/runtime';

export interface BadInput {
  readonly what: string;
  readonly object: KubernetesObject;
  readonly refused?: RegExp;
  readonly told?: RegExp;
  readonly event?: RegExp;
}

const P = 'reloader.stakater.com';
const GOOD = { watchedResources: { secrets: ['db'] }, targets: [{ kind: 'Deployment', name: 'web' }] };

const config = (spec: unknown): KubernetesObject =>
  ({ apiVersion: `${P}/v1alpha1`, kind: 'ReloaderConfig', spec }) as KubernetesObject;
const watched = (more: object): object => ({ ...GOOD, watchedResources: { secrets: ['db'], ...more } });
const target = (more: object): object => ({
  ...GOOD,
  targets: [{ kind: 'Deployment', name: 'web', ...more }],
});
const channel = (more: object): object => ({ ...GOOD, alerts: { slack: more } });

/** ReloaderConfigs that the API server refuses, with the field that it names. */
const REFUSED: readonly (readonly [what: string, spec: unknown, field: RegExp])[] = [
  ['a text for the spec', 'all', /spec.*must be of type object/],
  ['a list for the spec', [], /spec.*must be of type object/],
  ['a text for secrets', watched({ secrets: 'db' }), /watchedResources\.secrets/],
  ['a number for a name', watched({ secrets: [7] }), /watchedResources\.secrets\[0\]/],
  ['an empty name', watched({ secrets: [''] }), /watchedResources\.secrets\[0\]/],
  ['a name in capitals', watched({ secrets: ['DB'] }), /watchedResources\.secrets\[0\]/],
  ['a name with a slash', watched({ secrets: ['shop/db'] }), /watchedResources\.secrets\[0\]/],
  ['a name that is too long', watched({ secrets: ['x'.repeat(254)] }), /watchedResources\.secrets\[0\]/],
  ['__proto__ as a name', watched({ configMaps: ['__proto__'] }), /watchedResources\.configMaps\[0\]/],
  ['too many names', watched({ secrets: Array.from({ length: 1001 }, (_, n) => `s${n}`) }), /at most 1000/],
  ['a text for a flag', watched({ enableTargetedReload: 'yes' }), /enableTargetedReload/],
  ['a number for a flag', { ...GOOD, autoReloadAll: 1 }, /autoReloadAll/],
  ['a text for reloadOnCreate', { ...GOOD, reloadOnCreate: 'true' }, /reloadOnCreate/],
  ['a map for targets', { ...GOOD, targets: { kind: 'Deployment', name: 'web' } }, /spec\.targets/],
  ['a text for a target', { ...GOOD, targets: ['web'] }, /spec\.targets\[0\]/],
  ['a target without kind', { ...GOOD, targets: [{ name: 'web' }] }, /targets\[0\]\.kind: Required/],
  ['a target without name', { ...GOOD, targets: [{ kind: 'Deployment' }] }, /targets\[0\]\.name: Required/],
  ['a kind that is none', target({ kind: 'Pod' }), /targets\[0\]\.kind: Unsupported value: "Pod"/],
  ['a kind in small letters', target({ kind: 'deployment' }), /targets\[0\]\.kind: Unsupported/],
  ['a namespace with dots', target({ namespace: 'a.b' }), /targets\[0\]\.namespace/],
  ['a strategy that is none', target({ rolloutStrategy: 'recreate' }), /targets\[0\]\.rolloutStrategy/],
  ['another one for all', { ...GOOD, reloadStrategy: 'sometimes' }, /spec\.reloadStrategy/],
  ['a pause without unit', { ...GOOD, pausePeriod: '5' }, /spec\.pausePeriod/],
  ['a pause in words', target({ pausePeriod: '5 minutes' }), /targets\[0\]\.pausePeriod/],
  ['a pause below zero', { ...GOOD, pausePeriod: '-5m' }, /spec\.pausePeriod/],
  ['a pause as a number', { ...GOOD, pausePeriod: 300 }, /spec\.pausePeriod/],
  ['settling for two hours', { ...GOOD, settle: '2h' }, /settle must be at most 1h/],
  ['a batch of two days', target({ batchWindow: '48h' }), /batchWindow must be at most 24h/],
  [
    'too many targets',
    { ...GOOD, targets: Array.from({ length: 501 }, (_, n) => ({ kind: 'Job', name: `j${n}` })) },
    /at most 500/,
  ],
  [
    'an ignored kind that is none',
    { ...GOOD, ignoreResources: [{ kind: 'Pod', name: 'x' }] },
    /ignoreResources\[0\]\.kind/,
  ],
  [
    'an ignored one without name',
    { ...GOOD, ignoreResources: [{ kind: 'Secret' }] },
    /ignoreResources\[0\]\.name/,
  ],
  ['a number for a label', { ...GOOD, matchLabels: { tier: 1 } }, /spec\.matchLabels\.tier/],
  [
    'a value of a label that is too long',
    { ...GOOD, matchLabels: { tier: 'x'.repeat(64) } },
    /matchLabels\.tier/,
  ],
  [
    'a selector operator that is none',
    watched({ resourceSelector: { matchExpressions: [{ key: 'a', operator: 'Like' }] } }),
    /matchExpressions\[0\]\.operator/,
  ],
  [
    'In without values',
    watched({ namespaceSelector: { matchExpressions: [{ key: 'a', operator: 'In' }] } }),
    /values must not be empty with In and NotIn/,
  ],
  [
    'Exists with values',
    watched({ resourceSelector: { matchExpressions: [{ key: 'a', operator: 'Exists', values: ['b'] }] } }),
    /values must be empty with Exists/,
  ],
  ['a channel without address', channel({}), /a channel needs url or secretRef/],
  ['an empty address alone', channel({ url: '' }), /a channel needs url or secretRef/],
  ['an address that is none', channel({ url: 'ftp://example.com' }), /alerts\.slack\.url/],
  ['a Secret without name', channel({ secretRef: { key: 'url' } }), /secretRef\.name/],
  ['an event that is none', channel({ url: 'https://example.com', events: ['created'] }), /events\[0\]/],
];

/** ReloaderConfigs that are accepted, and report the mistake in a condition. */
const TOLD: readonly (readonly [what: string, spec: object, message: RegExp])[] = [
  ['no targets', { ...GOOD, targets: [] }, /NoTargets: spec\.targets is empty/],
  ['an empty spec', {}, /NoTargets: spec\.targets is empty/],
  [
    'nothing watched',
    { ...GOOD, watchedResources: {} },
    /NothingWatched: spec\.watchedResources names nothing/,
  ],
  [
    'a label that is none',
    { ...GOOD, matchLabels: { 'not a label': 'x' } },
    /InvalidSpec: spec\.matchLabels\.not a label: can be on no object/,
  ],
  [
    '__proto__ as a label',
    { ...GOOD, matchLabels: JSON.parse('{"__proto__":"x"}') },
    /InvalidSpec: spec\.matchLabels\.__proto__: can be on no object/,
  ],
  [
    'a label with two slashes',
    { ...GOOD, matchLabels: { 'a/b/c': 'x' } },
    /InvalidSpec: spec\.matchLabels\.a\/b\/c/,
  ],
  ['a value that is none', { ...GOOD, matchLabels: { tier: 'a b' } }, /InvalidSpec: spec\.matchLabels\.tier/],
  [
    'a selector with a label that is none',
    watched({ resourceSelector: { matchLabels: { 'x y': 'z' } } }),
    /InvalidSpec: spec\.watchedResources\.resourceSelector: "x y" is not a label name/,
  ],
  [
    'a pause of ages',
    { ...GOOD, pausePeriod: '99999999999h' },
    /InvalidSpec: spec\.pausePeriod: is too long/,
  ],
  [
    "a target's pause of ages",
    target({ pausePeriod: '99999999999h' }),
    /InvalidSpec: spec\.targets\[0\]\.pausePeriod: is too long/,
  ],
  [
    'a template without end',
    channel({ url: 'https://example.com', template: '{{ if }}' }),
    /InvalidSpec: spec\.alerts\.slack\.template/,
  ],
  [
    'labels that the source lacks',
    { ...GOOD, matchLabels: { tier: 'web' } },
    /NothingWatched: Nothing that is named counts: Secret \S+\/db: it does not carry the label tier: web/,
  ],
  [
    'a source that it ignores',
    { ...GOOD, ignoreResources: [{ kind: 'Secret', name: 'db' }] },
    /NothingWatched: .*spec\.ignoreResources leaves it out/,
  ],
  [
    'a reference that decides nothing',
    target({ requireReference: true }),
    /QuestionableSpec: spec\.targets\[0\]\.requireReference has no effect/,
  ],
  [
    'one target twice',
    {
      ...GOOD,
      targets: [
        { kind: 'Deployment', name: 'web' },
        { kind: 'Deployment', name: 'web', reloadStrategy: 'annotations' },
      ],
    },
    /QuestionableSpec: spec\.targets\[1\] names Deployment web again with another reloadStrategy/,
  ],
  [
    'a target that is not there',
    target({ name: 'wep' }),
    /TargetNotFound: Target Deployment \S+\/wep not found/,
  ],
  [
    'a source that is not there',
    { ...GOOD, watchedResources: { secrets: ['bd'] } },
    /ResourceNotFound: Secret \S+\/bd not found/,
  ],
  [
    'a target in another namespace',
    target({ namespace: 'kube-system' }),
    /ReloadsForbidden: .*Namespace kube-system does not allow/,
  ],
  [
    'a kind that nobody serves',
    { ...GOOD, targets: [{ kind: 'DeploymentConfig', name: 'web' }] },
    /ReloadsForbidden: .*does not serve DeploymentConfigs/,
  ],
];

const podConfig = (spec: unknown): KubernetesObject =>
  ({ apiVersion: 'podconfig.example.com/v1alpha1', kind: 'PodConfigMapConfig', spec }) as KubernetesObject;
const templates = (map: object): object => ({ configMapDataTemplate: map });

const POD_REFUSED: readonly (readonly [what: string, spec: unknown, field: RegExp])[] = [
  ['a text for labels', { labelsToInclude: 'app' }, /labelsToInclude/],
  ['a label key that is none', { labelsToInclude: ['not a label'] }, /labelsToInclude\[0\]/],
  ['__proto__ as a label', { annotationsToInclude: ['__proto__'] }, /annotationsToInclude\[0\]/],
  ['a number for a template', templates({ line: 7 }), /configMapDataTemplate\.line/],
  [
    'an operator that is none',
    { podSelector: { matchExpressions: [{ key: 'app', operator: 'Like' }] } },
    /matchExpressions\[0\]\.operator/,
  ],
];

const POD_TOLD: readonly (readonly [what: string, spec: object, message: RegExp])[] = [
  [
    'a field that pods do not have',
    templates({ line: '{{ .metadat.name }}' }),
    /InvalidTemplate: .*there is no field "metadat" here, there are metadata, spec, status/,
  ],
  [
    '__proto__ of a pod',
    templates({ line: '{{ .__proto__ }}' }),
    /InvalidTemplate: .*there is no field "__proto__"/,
  ],
  ['a template without end', templates({ line: '{{ .metadata.name' }), /InvalidTemplate: .*line:1/],
  ['a function that is none', templates({ line: '{{ shout .metadata.name }}' }), /InvalidTemplate: .*shout/],
  ['a key of ours', templates({ podName: 'x' }), /InvalidTemplate: .*choose another name/],
  ['a key that is none', templates({ 'a b': 'x' }), /InvalidTemplate: .*a key of a ConfigMap has only/],
  [
    'a selector with a label that is none',
    { podSelector: { matchLabels: { 'x y': 'z' } } },
    /ErrorInPodSelector: spec\.podSelector: "x y" is not a label name/,
  ],
];

/** Annotations of a workload that is otherwise opted in. */
const EVENTS: readonly (readonly [
  what: string,
  annotations: Readonly<Record<string, string>>,
  message: RegExp,
])[] = [
  [
    'a typing error',
    { [`${P}/atuo`]: 'true' },
    /UnknownAnnotation: .*did you mean reloader\.stakater\.com\/auto\?/,
  ],
  [
    'an annotation of tomorrow',
    { [`${P}/a-thing-of-version-nine`]: 'x' },
    /UnknownAnnotation: .*a newer version may have it/,
  ],
  ['settling in words', { [`${P}/settle`]: 'soon' }, /InvalidDuration: .*"soon".* is no duration/],
  ['settling for ages', { [`${P}/settle`]: '99999999999h' }, /InvalidDuration: .* is too long/],
  ['a kind that is none', { [`${P}/kind`]: 'pod' }, /UnknownKind: .*"pod"/],
  ['keys in words', { [`${P}/keys`]: 'some' }, /UnknownValue: .*"some"/],
  ['a frozen that is none', { [`${P}/freeze`]: 'yes' }, /UnknownValue: .*"yes" .* is neither true nor false/],
];

const workload = (annotations: object): KubernetesObject =>
  ({
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { annotations: { [`${P}/auto`]: 'true', ...annotations } },
    spec: {
      selector: { matchLabels: { app: 'x' } },
      template: {
        metadata: { labels: { app: 'x' } },
        spec: { containers: [{ name: 'x', image: 'nginx', envFrom: [{ secretRef: { name: 'db' } }] }] },
      },
    },
  }) as KubernetesObject;

export const BAD_INPUTS: readonly BadInput[] = [
  ...REFUSED.map(([what, spec, refused]) => ({ what, object: config(spec), refused })),
  ...TOLD.map(([what, spec, told]) => ({ what, object: config(spec), told })),
  ...POD_REFUSED.map(([what, spec, refused]) => ({ what, object: podConfig(spec), refused })),
  ...POD_TOLD.map(([what, spec, told]) => ({ what, object: podConfig(spec), told })),
  ...EVENTS.map(([what, annotations, event]) => ({ what, object: workload(annotations), event })),
];
