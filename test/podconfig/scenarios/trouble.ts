/** Configs that cannot be carried out: they say so, harm nothing and heal. */
import { expect } from 'vitest';
import type { PodConfigMapConfig } from '../../../packages/operator/src/podconfig/model.ts';
import type { Scenario } from '../scenarios.ts';

type Spec = NonNullable<PodConfigMapConfig['spec']>;

/** A working config is broken, and mended. */
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
          conditions: [{ type: 'Ready', status: 'False', reason, observedGeneration: 2 }],
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
    { podSelector: { matchExpressions: [{ key: 'app', operator: 'Like', values: ['x'] }] } },
    /spec\.podSelector.*Like/,
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
];
