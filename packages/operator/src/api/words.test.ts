import { expect, it } from 'vitest';
import { POLICY } from '../reloader/decide/decide.test.support.ts';
import { howText } from './words.ts';

it('an undo is announced together with the fallback if it is not possible', () => {
  expect(howText('Deployment', POLICY, 4)).toBe(
    'reload 4, which failed, is undone: pods of the earlier revision are not restarted, and if it is gone this is a rolling update (env-vars)',
  );
  expect(howText('Deployment', POLICY)).toBe('rolling update (env-vars)');
});
