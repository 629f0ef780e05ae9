import { expect, test } from 'vitest';
import { readYaml, YamlProblem } from './yaml-body.ts';

test('it is YAML 1.1 as servers in Go read it', () => {
  const text = 'a: yes\nb: off\nc: 012\nd: 0x1f\ne: ~\nf: 1:30\ng: 2020-01-01\nh: "yes"\ni: 1.5';
  expect(readYaml(text).value).toEqual({
    a: true,
    b: false,
    c: 10,
    d: 31,
    e: null,
    f: '1:30',
    g: '2020-01-01',
    h: 'yes',
    i: 1.5,
  });
});

test('JSON is YAML', () => {
  expect(readYaml('{"a": [1, {"b": null}]}').value).toEqual({ a: [1, { b: null }] });
});

test('keys become strings', () => {
  expect(readYaml('5: a\ntrue: b').value).toEqual({ '5': 'a', true: 'b' });
});

test('anchors and merge keys are resolved', () => {
  expect(readYaml('base: &b {x: 1}\nother:\n  <<: *b\n  z: 2').value).toEqual({
    base: { x: 1 },
    other: { x: 1, z: 2 },
  });
});

test('a key that stands twice is told with its line; the last value counts', () => {
  const { value, repeatedKeys } = readYaml('a: 1\nb: {c: 1, c: 2}\n"a": 3');
  expect(value).toEqual({ a: 3, b: { c: 2 } });
  expect(repeatedKeys).toEqual(['line 2: key "c" already set in map', 'line 3: key "a" already set in map']);
});

test('what is no YAML is a problem in the words of the server', () => {
  expect(() => readYaml('a: b: c')).toThrow(
    new YamlProblem('yaml: mapping values are not allowed in this context'),
  );
  expect(() => readYaml('x: 1\na: b: c')).toThrow(/^yaml: line 2: /);
});

test('a document that unfolds into very much is refused', () => {
  const lines = ['a: &a [x,x,x,x,x,x,x,x,x,x]'];
  for (let i = 1; i < 8; i++) {
    const before = String.fromCharCode(96 + i);
    const name = String.fromCharCode(97 + i);
    lines.push(`${name}: &${name} [${Array.from({ length: 10 }, () => `*${before}`).join(',')}]`);
  }
  expect(() => readYaml(lines.join('\n'))).toThrow(YamlProblem);
});
