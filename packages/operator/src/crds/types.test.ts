/**
 * The types of a ReloaderConfig match its schema. The compiler compares them (`npm run check`): a missing expected
 * error is an error, too.
 */
import { expectTypeOf, test } from 'vitest';
import type { ReloaderConfigSpec, ReloaderConfigStatus, ReloaderConfigTarget } from './reloader-config.ts';

test('a spec has the fields of its schema, each with its type', () => {
  expectTypeOf<ReloaderConfigSpec['maxConcurrent']>().toEqualTypeOf<number | string | undefined>();
  expectTypeOf<ReloaderConfigSpec['matchLabels']>().toEqualTypeOf<Record<string, string> | undefined>();
  expectTypeOf<ReloaderConfigTarget['name']>().toEqualTypeOf<string>();
  expectTypeOf<ReloaderConfigTarget['approval']>().toEqualTypeOf<'required' | 'none' | undefined>();
  expectTypeOf<NonNullable<ReloaderConfigSpec['rateLimit']>>().toEqualTypeOf<{
    perHour: number;
    burst?: number;
  }>();
  expectTypeOf<ReloaderConfigStatus['reloadCount']>().toEqualTypeOf<number | undefined>();

  const spec: ReloaderConfigSpec = { targets: [{ kind: 'Deployment', name: 'web' }] };
  // @ts-expect-error: the schema requires a name.
  spec.targets = [{ kind: 'Deployment' }];
  // @ts-expect-error: the schema knows no such kind.
  spec.targets = [{ kind: 'Pod', name: 'web' }];
  // @ts-expect-error: the schema knows no such field.
  spec.colour = 'green';
});
