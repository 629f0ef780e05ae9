import { expect, test } from 'vitest';
import { migrateCluster } from './migration.ts';

test('the ReloaderConfigs of migrate decide as the annotations did, for 200 random annotated workloads', {
  timeout: 60_000,
}, async () => {
  const runs = [
    await migrateCluster(1, 100, []),
    await migrateCluster(2, 50, ['--cronjob-strategy=run']),
    await migrateCluster(3, 50, ['--reload-on-create=true', '--reload-on-delete=true', '--key-level']),
  ];
  const sum = (of: 'workloads' | 'migrated' | 'stayed'): number =>
    runs.reduce((all, each) => all + each[of], 0);
  expect(sum('workloads')).toBe(200);
  expect(sum('migrated')).toBeGreaterThan(60);
  expect(sum('stayed')).toBeGreaterThan(10);
});
