/** Actions of the page, with an `annotate` that records what it is told to write. */
import { describe, expect, test } from 'vitest';
import { act } from './actions.ts';
import type { Explanation, Wait } from './shapes.ts';

const web = { kind: 'Deployment', namespace: 'shop', name: 'web' } as const;

async function acts(action: string, body: unknown, waits: readonly Partial<Wait>[] = [], watched = true) {
  const patches: unknown[] = [];
  const answer = await act(action, body, {
    annotate: async ({ type, key }, annotations) => {
      patches.push([type.kind, key, { annotations }]);
    },
    operatorNamespace: async () => 'reloader',
    explain: async () => (watched ? ({ outlook: { waits } } as unknown as Explanation) : undefined),
  });
  return { ...answer, patches };
}

describe('approve and now', () => {
  const approval = { why: 'approval', change: 'k3v9x2mqpa', message: 'Waits for approval' } as const;
  const seen = { target: web, change: 'k3v9x2mqpa' };

  test.each(['approve', 'now'])('%s lets through the change that was seen', async (action) => {
    const { status, patches } = await acts(action, seen, [approval]);
    expect(status).toBe(200);
    const annotations = { [`reloader.stakater.com/${action}`]: 'k3v9x2mqpa' };
    expect(patches).toEqual([['Deployment', { namespace: 'shop', name: 'web' }, { annotations }]]);
  });

  test.each([
    [
      'another change waits by then',
      409,
      seen,
      [{ ...approval, change: 'other' }],
      /Another change waits now, other/,
    ],
    ['nothing waits any more', 409, seen, [], /No change waits/],
    ['no change is named', 400, { target: web }, [approval], /change the name of what waits/],
    ['no workload is named', 400, { target: { namespace: 'shop' }, change: 'x' }, [approval], /target is/],
  ])('are refused where %s', async (_case, status, body, waits, error) => {
    const answer = await acts('approve', body, waits as readonly Partial<Wait>[]);
    expect(answer).toMatchObject({ status, body: { error: expect.stringMatching(error) }, patches: [] });
  });

  test('now does not override gates that people closed', async () => {
    const frozen = { why: 'frozen', message: 'Namespace shop is frozen' } as const;
    const answer = await acts('now', seen, [frozen, approval]);
    expect(answer).toMatchObject({ status: 409, patches: [] });
    expect(answer.body).toEqual({ error: 'This holds whatever anybody says. Namespace shop is frozen' });
  });

  test.each(['frozen', 'observing', 'invalid', 'condition'] as const)('now does not end %s', async (why) => {
    const held = { why, change: 'k3v9x2mqpa', message: 'It is held' };
    expect(await acts('now', seen, [held])).toMatchObject({ status: 409, patches: [] });
  });

  test('are refused for a workload that the operator does not watch', async () => {
    expect(await acts('now', seen, [], false)).toMatchObject({ status: 404, patches: [] });
  });
});

describe('freeze and unfreeze', () => {
  const FREEZE = 'reloader.stakater.com/freeze';
  const REASON = 'reloader.stakater.com/freeze-reason';

  test.each([
    [web, ['Deployment', { namespace: 'shop', name: 'web' }]],
    [{ namespace: 'shop' }, ['Namespace', { name: 'shop' }]],
    [{ cluster: true }, ['Namespace', { name: 'reloader' }]],
  ])('annotate %j', async (target, [kind, key]) => {
    const { patches } = await acts('freeze', { target });
    expect(patches).toEqual([[kind, key, { annotations: { [FREEZE]: 'true', [REASON]: null } }]]);
    const { patches: back } = await acts('unfreeze', { target });
    expect(back).toEqual([[kind, key, { annotations: { [FREEZE]: null, [REASON]: null } }]]);
  });

  test('a freeze has a reason if the person gives one', async () => {
    const { patches } = await acts('freeze', { target: web, reason: ' Sale until Monday ' });
    expect(patches[0]).toContainEqual({ annotations: { [FREEZE]: 'true', [REASON]: 'Sale until Monday' } });
    for (const reason of [7, 'x'.repeat(201)])
      expect(await acts('freeze', { target: web, reason })).toMatchObject({ status: 400, patches: [] });
  });

  test.each([null, {}, { target: { kind: 'Pod', namespace: 'a', name: 'b' } }, { target: 'shop' }])(
    'refuse %j',
    async (body) => {
      expect(await acts('freeze', body)).toMatchObject({ status: 400, patches: [] });
    },
  );
});

test('another action does not exist', async () => {
  expect(await acts('delete', { target: web })).toMatchObject({ status: 404, patches: [] });
});
