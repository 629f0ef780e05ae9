/** Configs that cannot take effect: they report it, harm nothing and recover. */
import { expect } from 'vitest';
import type { PodConfigMapConfig } from '../../../packages/operator/src/podconfig/model.ts';
import type { Scenario } from '../scenarios.ts';

type Spec = NonNullable<PodConfigMapConfig['spec']>;

/** A working config is broken, and fixed. */
function broken(id: string, reason: string, spec: Spec, message: RegExp, mended: object): Scenario {
  return {
    id,
    rule: `${reason} is in the condition; what exists stays, other configs go on, and it heals`,
    async play(stage) {
      await stage.pod('web', { annotations: { big: 'x'.repeat(210_000) } });
      await stage.config('bad', { labelsToInclude: ['app'] });
      await stage.config('good');
      const both = ['pod-web-from-bad-cfg', 'pod-web-from-good-cfg'];
      await stage.ground.until(async () => {
        expect(await stage.names()).toEqual(both);
        expect(await stage.status('bad')).toMatchObject({ observedGeneration: 1 });
      });
      const before = await stage.configMap('pod-web-from-bad-cfg');
      await stage.respec('bad', spec);
      await stage.ground.until(async () =>
        expect(await stage.status('bad')).toMatchObject({
          observedGeneration: 1,
          conditions: [
            { type: 'Ready', status: 'False', reason, observedGeneration: 2 },
            { type: 'Stalled', status: 'True', reason, observedGeneration: 2 },
          ],
        }),
      );
      expect((await stage.status('bad')).conditions?.[0]?.message).toMatch(message);
      await stage.pod('late');
      await stage.ground.until(async () => expect(await stage.names()).toContain('pod-late-from-good-cfg'));
      expect(await stage.configMap('pod-web-from-bad-cfg')).toEqual(before);
      await stage.respec('bad', mended);
      await stage.ground.until(async () => {
        expect(await stage.names()).toContain('pod-late-from-bad-cfg');
        expect(await stage.status('bad')).toMatchObject({
          observedGeneration: 3,
          matchedPods: 2,
          managedConfigMaps: 2,
          conditions: [{ type: 'Ready', status: 'True', reason: 'Synced' }],
        });
      });
    },
  };
}

const copies = (count: number): Record<string, string> =>
  Object.fromEntries(
    Array.from({ length: count }, (_, index) => [`copy-${index}`, '{{ .metadata.annotations.big }}']),
  );

export const trouble: readonly Scenario[] = [
  broken(
    'bad-selector',
    'ErrorInPodSelector',
    { podSelector: { matchLabels: { 'not a label': 'x' } } },
    /spec\.podSelector.*not a label/,
    { podSelector: null },
  ),
  broken(
    'bad-template',
    'InvalidTemplate',
    { configMapDataTemplate: { line: 'one\n{{ if }}' } },
    /configMapDataTemplate\["line"\].*line:2:\d+: /,
    { configMapDataTemplate: null },
  ),
  broken(
    'unknown-field',
    'InvalidTemplate',
    { configMapDataTemplate: { line: 'pod {{ .metadat.name }}' } },
    /configMapDataTemplate\["line"\]: line:1:\d+: there is no field "metadat" here, there are metadata, spec, status$/,
    { configMapDataTemplate: null },
  ),
  broken(
    'bad-for-a-pod',
    'InvalidTemplate',
    { configMapDataTemplate: { line: '{{ .metadata.name.deeper }}' } },
    /configMapDataTemplate\["line"\] for pod late|for pod web: line:1:\d+: /,
    { configMapDataTemplate: null },
  ),
  broken(
    'reserved-key',
    'InvalidTemplate',
    { configMapDataTemplate: { podName: 'x' } },
    /podName.*choose another name/,
    { configMapDataTemplate: null },
  ),
  broken(
    'endless',
    'InvalidTemplate',
    { configMapDataTemplate: { line: '{{ range 1000000000 }}x{{ end }}' } },
    /steps/,
    { configMapDataTemplate: null },
  ),
  broken('too-large', 'DataTooLarge', { configMapDataTemplate: copies(6) }, /pod web has 1260\d{3} bytes/, {
    configMapDataTemplate: null,
  }),
  {
    id: 'refused-selector',
    rule: 'a selector that cannot be is refused when it is applied, with the field named',
    async play(stage) {
      const wrong: [object, RegExp][] = [
        [{ key: 'app', operator: 'Like', values: ['x'] }, /matchExpressions\[0\]\.operator/],
        [{ key: 'app', operator: 'In' }, /values must not be empty with In and NotIn/],
        [{ key: 'app', operator: 'Exists', values: ['x'] }, /values must be empty with Exists/],
        [{ key: '', operator: 'Exists' }, /matchExpressions\[0\]\.key/],
      ];
      for (const [expression, field] of wrong) {
        const spec = { podSelector: { matchExpressions: [expression] } } as Spec;
        await expect(stage.config('bad', spec), JSON.stringify(expression)).rejects.toThrow(field);
      }
    },
  },
  {
    id: 'proto',
    rule: 'a key called __proto__ is a key like any other',
    async play(stage) {
      await stage.pod('web');
      const templates = JSON.parse('{"__proto__":"{{ .metadata.name }}"}') as Record<string, string>;
      await stage.config('odd', { configMapDataTemplate: templates });
      await stage.ground.until(async () => {
        const { data = {} } = await stage.configMap('pod-web-from-odd-cfg');
        expect(Object.getOwnPropertyDescriptor(data, '__proto__')?.value).toBe('web');
      });
      await stage.ground.until(async () =>
        expect(await stage.status('odd')).toMatchObject({
          conditions: [{ type: 'Ready', status: 'True', message: '1 ConfigMap for 1 pod' }],
        }),
      );
    },
  },
];
