import { expect, it } from 'vitest';
import { alertOf, message } from './alert.test.support.ts';
import { alertTextOf } from './alert-text.ts';

const undo = message({ undoes: 4 });

it('the names of many ReloaderConfigs are cut, so that the message stays below the limits of channels', () => {
  const configs = Array.from({ length: 500 }, (_, index) => `shop/${'x'.repeat(240)}-${index}`);
  const { facts } = alertTextOf(alertOf(message({ configs })));
  const value = facts.find(({ name }) => name === 'ReloaderConfig')?.value ?? '';
  expect(value.length).toBeLessThan(1_100);
  expect(value).toMatch(/… \(the first 1000 of \d+ characters\)$/);
});

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
