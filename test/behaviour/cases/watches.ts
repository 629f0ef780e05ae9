import { type BehaviourCase, configMap, core, del, patch, post } from '../case.ts';

const cms = core('configmaps');
const cm = core('configmaps', 'a');
const watch = (query: string): string => `${cms}?watch=1&labelSelector=mine&${query}`;
const mine = (data: Record<string, string>, labels: Record<string, string> = {}): object =>
  configMap('a', data, { labels: { mine: '', ...labels } });

export const watchCases: readonly BehaviourCase[] = [
  {
    name: 'from nothing: what exists, then what happens',
    steps: [
      post(cms, mine({ x: '1' }), { bodyIgnored: true }),
      {
        watch: watch(''),
        steps: [patch(cm, 'merge', { data: { x: '2' } }), del(cm)],
        events: 3,
      },
    ],
  },
  {
    name: 'entering and leaving a selector',
    steps: [
      post(cms, mine({ x: '1' }), { bodyIgnored: true }),
      {
        watch: `${cms}?watch=1&labelSelector=state%3Don`,
        steps: [
          patch(cm, 'merge', { metadata: { labels: { state: 'on' } } }),
          patch(cm, 'merge', { data: { x: '2' } }),
          patch(cm, 'merge', { metadata: { labels: { state: 'off' } } }),
          patch(cm, 'merge', { data: { x: '3' } }),
          patch(cm, 'merge', { metadata: { labels: { state: 'on' } } }),
        ],
        events: 4,
      },
    ],
  },
  {
    name: 'initial events end with a bookmark',
    steps: [
      post(cms, mine({ x: '1' }), { bodyIgnored: true }),
      {
        watch: watch('sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true'),
        steps: [patch(cm, 'merge', { data: { x: '2' } })],
        events: 3,
      },
    ],
  },
  {
    name: 'initial events: what is asked of the request',
    steps: [
      { watch: watch('sendInitialEvents=true'), events: 0 },
      { watch: watch('sendInitialEvents=true&resourceVersionMatch=Exact&resourceVersion=1'), events: 0 },
      { watch: watch('resourceVersionMatch=NotOlderThan'), events: 0 },
      { watch: `${cms}?sendInitialEvents=true&resourceVersionMatch=NotOlderThan`, events: 0 },
    ],
  },
  {
    name: 'a version too old, none at all, one to come',
    steps: [
      { watch: watch('resourceVersion=x'), events: 0 },
      { watch: watch('timeoutSeconds=1&resourceVersion=99999999999'), events: 0 },
      { watch: watch('timeoutSeconds=1'), events: 0 },
      { watch: watch('timeoutSeconds=x'), events: 0 },
    ],
  },
  {
    name: 'only metadata',
    steps: [
      post(cms, mine({ x: '1' }), { bodyIgnored: true }),
      {
        watch: watch(''),
        accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
        steps: [patch(cm, 'merge', { data: { x: '2' } })],
        events: 2,
      },
    ],
  },
  {
    name: 'as a table',
    steps: [
      post(cms, mine({ x: '1' }), { bodyIgnored: true }),
      {
        watch: watch(''),
        accept: 'application/json;as=Table;g=meta.k8s.io;v=v1',
        steps: [patch(cm, 'merge', { data: { y: '2' } })],
        events: 2,
      },
    ],
  },
  {
    name: 'one object by its name',
    steps: [
      post(cms, mine({ x: '1' }), { bodyIgnored: true }),
      {
        watch: `${cms}?watch=true&fieldSelector=metadata.name%3Da`,
        steps: [post(cms, configMap('b')), patch(cm, 'merge', { data: { x: '2' } })],
        events: 2,
      },
      {
        watch: '/api/v1/watch/namespaces/{ns}/configmaps/a',
        steps: [patch(cm, 'merge', { data: { x: '3' } })],
        events: 2,
      },
    ],
  },
  {
    name: 'a finalizer: deletion is first a change',
    steps: [
      post(cms, configMap('a', {}, { labels: { mine: '' }, finalizers: ['example.org/hold'] }), {
        bodyIgnored: true,
      }),
      {
        watch: watch(''),
        steps: [del(cm), patch(cm, 'merge', { metadata: { finalizers: null } })],
        events: 3,
      },
    ],
  },
];
