import { type Client, kinds } from '@reloader/runtime';
import { describe, expect, test } from 'vitest';
import { run } from './command-io.test.support.ts';

/** One operator in each of these namespaces, which watches those; it answers through the proxy of its Service. */
function clusterWith(operators: Readonly<Record<string, readonly string[]>>): Client {
  const services = Object.keys(operators).map((namespace) => ({
    metadata: { namespace, name: 'reloader' },
    spec: { selector: { app: 'reloader' }, ports: [{ name: 'http', port: 9090 }] },
  }));
  const client = {
    list: async (type: unknown) => ({ items: type === kinds.Service ? services : [] }),
    raw: async ({ path }: { path: string }) => {
      const [, namespace = '', asked = ''] =
        /namespaces\/([^/]+)\/services.*\/api\/v1\/(.*)/.exec(path) ?? [];
      const status = { version: '1', leading: true, namespaces: operators[namespace] };
      const answer = asked === 'status' ? status : { reloads: [], by: namespace };
      return { status: 200, headers: {}, body: [Buffer.from(JSON.stringify(answer))] };
    },
  };
  return client as unknown as Client;
}

describe('of several operators', () => {
  const teams = clusterWith({ 'team-a': ['team-a'], 'team-b': ['team-b', 'shared'] });
  const answeredBy = async (client: Client, ...argv: string[]): Promise<unknown> => {
    const { out, err } = await run([...argv, '-o', 'json'], { client });
    expect(err).toBe('');
    return (JSON.parse(out) as { answeredBy: string }).answeredBy;
  };

  test.each([
    ['team-a', 'team-a'],
    ['team-b', 'team-b'],
    ['shared', 'team-b'],
    ['nobodys', 'team-a'],
  ])('about namespace %s, that of %s is asked', async (namespace, operator) => {
    expect(await answeredBy(teams, 'history', '-n', namespace)).toBe(`Service ${operator}/reloader`);
  });

  test('one that watches all namespaces is asked about any', async () => {
    const client = clusterWith({ 'team-a': ['team-a'], tools: [] });
    expect(await answeredBy(client, 'history', '-n', 'shop')).toBe('Service tools/reloader');
  });
});
