import { describe, expect, test } from 'vitest';
import { parseCommandLine } from './arguments.ts';

const DEFAULTS = {
  kubeconfig: undefined,
  port: 0,
  host: '127.0.0.1',
  tls: true,
  workloads: true,
  seed: undefined,
};

describe('what runs', () => {
  test.each([
    [[], {}],
    [['--write-kubeconfig', 'file'], { kubeconfig: 'file' }],
    [['--port', '8443'], { port: 8443 }],
    [['--port=65535'], { port: 65535 }],
    [['--host', '0.0.0.0'], { host: '0.0.0.0' }],
    [['--http'], { tls: false }],
    [['--no-workloads'], { workloads: false }],
    [['--seed', '4294967295'], { seed: 4294967295 }],
  ])('%j', (args, expected) => {
    expect(parseCommandLine(args)).toEqual({ action: 'run', options: { ...DEFAULTS, ...expected } });
  });
});

test.each([
  [['--help'], 'help'],
  [['-h'], 'help'],
  [['--version'], 'version'],
  [['--help', '--version'], 'help'],
])('%j asks for text only', (args, action) => {
  expect(parseCommandLine(args)).toEqual({ action });
});

describe('what is refused, and why', () => {
  test.each([
    [['--port', 'abc'], "--port must be a number from 0 to 65535, not 'abc'"],
    [['--port', '65536'], "--port must be a number from 0 to 65535, not '65536'"],
    [['--port=-1'], "--port must be a number from 0 to 65535, not '-1'"],
    [['--seed', 'x'], "--seed must be a number from 0 to 4294967295, not 'x'"],
    [['--write-kubeconfig'], "Option '--write-kubeconfig <value>' argument missing"],
    [['--nope'], "Unknown option '--nope'"],
    [['file'], "Unexpected argument 'file'"],
  ])('%j', (args, why) => {
    const parsed = parseCommandLine(args);
    expect(parsed).toMatchObject({ action: 'refuse' });
    expect((parsed as { why: string }).why).toContain(why);
  });
});
