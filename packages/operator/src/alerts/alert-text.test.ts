import { expect, it } from 'vitest';
import { alertOf, message } from './alert.test.support.ts';
import { alertTextOf } from './alert-text.ts';

const undo = message({ undoes: 4 });

it('an undo is reported as good news, with a text of its own', () => {
  const { title, text, tone } = alertTextOf(alertOf(undo));
  expect(title).toBe('↩️ Reload Undone');
  expect(text).toBe(`Undid reload 4 of ${undo.workload.kind}/${undo.workload.name}, which had failed`);
  expect(tone).toBe('good');
});

it('in a group the line of the workload says so', () => {
  const { text } = alertTextOf(alertOf(message(), undo));
  const [plain, undone] = text.split('\n');
  expect(plain).not.toContain('undone');
  expect(undone).toContain('reload 4 had failed and is undone');
});
