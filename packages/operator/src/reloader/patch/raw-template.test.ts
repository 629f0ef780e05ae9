import { describe, expect, it } from 'vitest';
import { changedTemplate, shapeOf } from './raw-template.ts';

const template = {
  metadata: { labels: { app: 'web' } },
  spec: {
    containers: [
      {
        name: 'app',
        env: [
          { name: 'USER', value: 'u' },
          { name: 'A', valueFrom: {} },
          { name: 'B', value: '0' },
        ],
      },
      { name: 'proxy' },
    ],
  },
};

describe('a template in memory', () => {
  it('is changed in a copy: set where it stands, appended, removed', () => {
    const changed = changedTemplate(template, {
      variables: [
        { name: 'B', container: undefined, value: undefined },
        { name: 'A', container: 'app', value: '1' },
        { name: 'C', container: 'proxy', value: '2' },
        { name: 'D', container: 'nowhere', value: '3' },
      ],
      annotations: { mark: 'x' },
    });
    expect(changed).toEqual({
      metadata: { labels: { app: 'web' }, annotations: { mark: 'x' } },
      spec: {
        containers: [
          {
            name: 'app',
            env: [
              { name: 'USER', value: 'u' },
              { name: 'A', value: '1' },
            ],
          },
          { name: 'proxy', env: [{ name: 'C', value: '2' }] },
        ],
      },
    });
    expect(template.spec.containers[0]?.env).toHaveLength(3);
  });

  it('shows where the variables in question stand', () => {
    expect(shapeOf(template, new Set(['B', 'C']))).toEqual({
      containers: [
        { name: 'app', envCount: 3 },
        { name: 'proxy', envCount: 0 },
      ],
      slots: [{ container: 'app', containerIndex: 0, envIndex: 2, name: 'B', value: '0' }],
      hasTemplateAnnotations: false,
    });
    expect(shapeOf(undefined, new Set())).toEqual({
      containers: [],
      slots: [],
      hasTemplateAnnotations: false,
    });
  });
});
