/** Pictures: one style, dark mode, and no text that overflows its box. */
import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { ROOT } from './blocks.ts';

const folder = `${ROOT}/docs/images`;
const drawn = readdirSync(folder).filter((name) => name.endsWith('.svg') && !/^(demo|icon)/.test(name));
const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8');
const styleOf = (svg: string): string => /<style>([\s\S]*?)<\/style>/.exec(svg)?.[1] ?? '';
/** Width of a letter relative to the font size: wider than most letters of a proportional font. */
const LETTER = 0.56;

const numbers = (tag: string): Record<string, number> =>
  Object.fromEntries(
    [...tag.matchAll(/\b(x|y|width|height)="([\d.]+)"/g)].map(([, key = '', value]) => [key, Number(value)]),
  );

describe.each(drawn)('%s', (name) => {
  const svg = read(name);

  test('has the style of all pictures, in light and dark, and a text for those who do not see it', () => {
    expect(styleOf(svg)).toBe(styleOf(read('overview.svg')));
    expect(styleOf(svg)).toContain('prefers-color-scheme: dark');
    expect(svg.slice(svg.indexOf('</style>'))).not.toMatch(/(fill|stroke)="#/);
    expect(svg).toMatch(/role="img" aria-label="[^"]{20,}"/);
  });

  test('keeps every text within its box, and within the picture', () => {
    const [, width = 0] = (/viewBox="0 0 (\d+)/.exec(svg) ?? []).map(Number);
    const boxes = [...svg.matchAll(/<rect class="(?:box|key|side)"[^>]*>/g)].map(([tag]) => numbers(tag));
    const texts = [...svg.matchAll(/<text class="(\w)"([^>]*)>([^<]*)<\/text>/g)];
    expect(texts.length).toBeGreaterThan(5);
    for (const [, kind = '', attributes = '', text = ''] of texts) {
      const { x = 0, y = 0 } = numbers(attributes);
      const length = text.length * LETTER * (kind === 's' || kind === 'c' ? 12 : 14);
      const [left, right] = kind === 'm' || kind === 'c' ? [x - length / 2, x + length / 2] : [x, x + length];
      const around = boxes
        .filter((box) => x >= (box.x ?? 0) && x <= (box.x ?? 0) + (box.width ?? 0))
        .filter((box) => y >= (box.y ?? 0) && y <= (box.y ?? 0) + (box.height ?? 0))
        .sort((a, b) => (a.width ?? 0) - (b.width ?? 0))[0] ?? { x: 0, width };
      expect(left, text).toBeGreaterThanOrEqual(around.x ?? 0);
      expect(right, text).toBeLessThanOrEqual((around.x ?? 0) + (around.width ?? 0));
    }
  });
});

test('the recording of the demo is in colour, and goes round', () => {
  const svg = read('demo.svg');
  for (const name of ['good', 'warn', 'dim']) expect(svg).toContain(`<tspan class="${name}">`);
  expect(svg).toContain('step-end infinite');
  expect(svg).toContain('prefers-reduced-motion');
  expect(svg).toContain('Three things to try next');
});
