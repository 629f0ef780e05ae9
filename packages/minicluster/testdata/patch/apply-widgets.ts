/** Ownership in a custom resource with every type of list and map. */
import { type Scenario, SUBJECT } from './case.ts';
import { apply, create, merge, widget } from './steps.ts';

export const widgetScenarios: readonly Scenario[] = [
  {
    name: 'a widget is created and updated',
    kind: 'Widget',
    steps: [
      create(
        widget({
          tags: ['x', 'y'],
          plain: ['p'],
          parts: [{ name: 'n', count: 1 }],
          frozen: { a: '1' },
          labels: { l: '1' },
          free: { deep: { er: [1] } },
          port: 80,
        }),
      ),
      merge({
        spec: {
          tags: ['y', 'z'],
          plain: ['q'],
          parts: [
            { name: 'n', side: 'left', count: 2 },
            { name: 'n', side: 'right' },
          ],
          frozen: { b: '2' },
          labels: { m: '2' },
          free: { deep: { er: [2], f: 1 } },
          port: 'http',
        },
      }),
    ],
  },
  {
    name: 'sets and maps of a widget are shared',
    kind: 'Widget',
    steps: [
      apply('one', widget({ tags: ['x', 'y'], parts: [{ name: 'n', count: 1 }] })),
      apply(
        'two',
        widget({
          tags: ['y', 'z'],
          parts: [
            { name: 'n', note: 'two' },
            { name: 'm', side: 'right' },
          ],
        }),
      ),
      apply('one', widget({ tags: ['q'], parts: [] })),
      apply('two', widget({})),
    ],
  },
  {
    name: 'atomic lists and maps of a widget conflict',
    kind: 'Widget',
    steps: [
      apply('one', widget({ plain: ['a'], frozen: { a: '1' } })),
      apply('two', widget({ plain: ['b'], frozen: { b: '1' } })),
      apply('two', widget({ plain: ['b'], frozen: { b: '1' } }), true),
      apply('two', widget({})),
    ],
  },
  {
    name: 'free fields of a widget',
    kind: 'Widget',
    steps: [
      apply('one', widget({ free: { a: { b: 1 }, l: [1, 2] } })),
      apply('two', widget({ free: { a: { c: 2 } } })),
      apply('one', widget({ free: { a: { b: 2 }, l: [3] } })),
      apply('one', widget({ free: {} })),
    ],
  },
  {
    name: 'a free field changes its type',
    kind: 'Widget',
    steps: [
      create(widget({ free: { a: 'text', b: { c: 1 } } })),
      merge({ spec: { free: { a: { x: 1 }, b: 5 } } }),
    ],
  },
  {
    name: 'the status of a widget',
    kind: 'Widget',
    steps: [
      apply('one', widget({ size: 2 }, { status: { phase: 'ignored' } })),
      {
        verb: 'apply',
        manager: 'controller',
        subresource: 'status',
        body: widget({ size: 5 }, { status: { phase: 'Ready' } }),
      },
      {
        verb: 'merge',
        manager: 'other',
        subresource: 'status',
        body: { status: { phase: 'Busy', count: 1 } },
      },
      {
        verb: 'apply',
        manager: 'controller',
        subresource: 'status',
        body: {
          apiVersion: 'example.org/v1',
          kind: 'Widget',
          metadata: { name: SUBJECT },
          status: { phase: 'Ready' },
        },
      },
    ],
  },
  {
    name: 'an undeclared field is applied to a widget',
    kind: 'Widget',
    steps: [
      apply('one', widget({ nope: 1 })),
      apply('one', widget({ size: 'x' })),
      apply('one', widget({ tags: ['a', 'a'] })),
      apply('one', widget({ tags: [{ a: 1 }] })),
    ],
  },
];
