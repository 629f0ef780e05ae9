import { KubeConfig } from '@kubernetes/client-node';
import { describe, expect, test } from 'vitest';
import { type Credentials, kubeconfigText } from './kubeconfig.ts';

function load(credentials: Credentials, namespace?: string): KubeConfig {
  const config = new KubeConfig();
  const given = { server: 'https://127.0.0.1:1', authority: 'AUTHORITY', credentials };
  config.loadFromString(kubeconfigText(namespace === undefined ? given : { ...given, namespace }));
  return config;
}

const decoded = (data: string | undefined) => Buffer.from(data ?? '', 'base64').toString();

describe('a kubeconfig', () => {
  test('verifies the server by the authority', () => {
    const cluster = load({ token: 't' }).getCurrentCluster();
    expect(cluster?.server).toBe('https://127.0.0.1:1');
    expect(decoded(cluster?.caData)).toBe('AUTHORITY');
    expect(cluster?.skipTLSVerify).toBeFalsy();
  });

  test('carries a token', () => {
    expect(load({ token: 'secret' }).getCurrentUser()?.token).toBe('secret');
  });

  test('names a file that holds a token', () => {
    expect(
      JSON.parse(kubeconfigText({ server: 's', authority: 'a', credentials: { tokenFile: '/t' } })),
    ).toMatchObject({
      users: [{ user: { tokenFile: '/t' } }],
    });
  });

  test('carries a client certificate and its key', () => {
    const user = load({ certificate: 'CERTIFICATE', key: 'KEY' }).getCurrentUser();
    expect([decoded(user?.certData), decoded(user?.keyData)]).toEqual(['CERTIFICATE', 'KEY']);
  });

  test('has the given namespace, or none', () => {
    const namespaceOf = (config: KubeConfig) =>
      config.getContextObject(config.getCurrentContext())?.namespace;
    expect(namespaceOf(load({ token: 't' }, 'ns'))).toBe('ns');
    expect(namespaceOf(load({ token: 't' }))).toBeUndefined();
  });
});
