/** The start of most scenarios: a Deployment that uses one Secret, adopted by an operator. */
import type { Ref } from '../chronicle.ts';
import type { Scene } from '../scene.ts';

export const auto = { auto: 'true' };
export const uses = [{ secret: 'db' }] as const;

export const change = (s: Scene, value: string): Promise<void> => s.secret('db', { password: value });

export async function adoptedWeb(s: Scene, replicas = 1): Promise<Ref> {
  await change(s, 'one');
  const web = await s.deployment('web', { annotations: auto, uses, replicas });
  await s.operator();
  await s.adopted(web);
  return web;
}
