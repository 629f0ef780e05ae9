import { describe, expect, it } from 'vitest';
import { readCommandLine, UsageError } from './options.ts';

describe('The command line', () => {
  it('needs a folder and nothing else', () => {
    expect(readCommandLine(['work/web-site-operator'])).toEqual({
      folder: 'work/web-site-operator',
      name: 'web-site-operator',
      kind: 'WebSite',
      plural: 'websites',
      group: 'example.com',
      version: 'v1alpha1',
    });
  });

  it('says everything where asked', () => {
    const args = ['x', '--kind', 'Policy', '--plural', 'policies', '--group', 'a.b.c', '--version', 'v2'];
    expect(readCommandLine(args)).toMatchObject({
      ...{ kind: 'Policy', plural: 'policies', group: 'a.b.c', version: 'v2' },
    });
  });

  it('helps', () => expect(readCommandLine(['--help'])).toBeUndefined());

  it.each([
    [[], 'Name one folder, such as website-operator; got 0'],
    [['a', 'b'], 'Name one folder, such as website-operator; got 2'],
    [['Big'], 'The folder is "Big": it must be lower-case letters, digits and "-"'],
    [['..'], 'The folder is "..": it must be'],
    [['x', '--kind', 'website'], '--kind is "website": it must be a word that begins with a capital letter'],
    [['x', '--kind', 'Web-Site'], '--kind is "Web-Site"'],
    [['7up'], '--kind is "7up"'],
    [['x', '--plural', 'Web Sites'], '--plural is "Web Sites": it must be lower-case letters and digits'],
    [['x', '--group', 'example'], '--group is "example": it must be a domain of yours, such as example.com'],
    [['x', '--group', 'Example.com'], '--group is "Example.com"'],
    [['x', '--group', 'apps.k8s.io'], '--group is "apps.k8s.io": that domain belongs to Kubernetes'],
    [['x', '--version', '1.0'], '--version is "1.0": it must be such as v1, v1beta1 or v1alpha1'],
    [['x', '--colour', 'red'], "Unknown option '--colour'"],
  ])('%j is refused', (args, message) => {
    expect(() => readCommandLine(args)).toThrow(UsageError);
    expect(() => readCommandLine(args)).toThrow(message);
  });
});
