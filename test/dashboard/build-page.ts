/** Builds the page again, so that tests use the current sources. */
import { fileURLToPath } from 'node:url';

export async function setup(): Promise<void> {
  const { buildDashboard } = (await import('../../packages/dashboard/build.mjs' as string)) as {
    buildDashboard: (folder: string) => Promise<void>;
  };
  await buildDashboard(fileURLToPath(new URL('../../packages/operator/dist/ui', import.meta.url)));
}
