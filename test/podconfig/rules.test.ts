import { describe, it } from 'vitest';
import { SCENARIOS } from './scenarios.ts';
import { Stage } from './stage.ts';
import { openVirtualGround } from './virtual-ground.ts';

describe('ConfigMaps from pods, on minicluster', () => {
  it.each(SCENARIOS)('$id: $rule', async ({ id, play }) => {
    const ground = await openVirtualGround(id);
    try {
      ground.start();
      await play(new Stage(ground));
    } finally {
      await ground.close();
    }
  });
});
