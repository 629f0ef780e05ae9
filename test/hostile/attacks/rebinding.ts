/** A web page in the browser of a user with an open port-forward, and a neighbour who found the port. */
import { request } from 'node:http';
import { expect } from 'vitest';
import type { Attack } from '../harness.ts';

const PATHS = [
  '/api/v1/status',
  '/api/v1/workloads',
  '/api/v1/history',
  '/api/v1/sources',
  '/api/v1/timeline',
  '/api/v1/me',
  '/ui/',
  '/api/v1/workloads/Deployment/neighbour/web',
  '/api/v1/what-if?kind=secret&ns=neighbour&name=own',
];

const FOREIGN: readonly Readonly<Record<string, string>>[] = [
  { host: 'evil.example' },
  { host: 'evil.example:9090' },
  { host: '127.0.0.1.evil.example' },
  { host: 'localhost@evil.example' },
  { host: '10.0.0.7:9090' },
  { 'sec-fetch-site': 'cross-site', host: 'localhost' },
  { 'sec-fetch-site': 'same-site', host: 'localhost' },
];

export const REBINDING: Attack = {
  title: 'a page whose name was rebound to loopback',
  async strike(ground, victim) {
    for (const path of PATHS) {
      const real = path.replaceAll('neighbour', ground.nameOf('neighbour'));
      for (const headers of FOREIGN) {
        const { status, body, allowOrigin } = await ask(victim.port, real, headers);
        const what = `${real} with ${JSON.stringify(headers)}`;
        expect([400, 403, 421], what).toContain(status);
        expect(body, what).not.toMatch(/neighbour|web|own/);
        expect(allowOrigin, what).toBeUndefined();
      }
      // A request through the port-forward is answered.
      const { status } = await ask(victim.port, real, { host: 'localhost' });
      // The operator under attack is built without the dashboard.
      expect(status, real).toBe(real === '/ui/' ? 404 : 200);
    }
  },
};

interface Answered {
  readonly status: number | undefined;
  readonly body: string;
  readonly allowOrigin: string | undefined;
}

function ask(port: number, path: string, headers: Readonly<Record<string, string>>): Promise<Answered> {
  return new Promise((resolve, reject) => {
    request({ host: '127.0.0.1', port, path, headers, agent: false }, (response) => {
      let body = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        body += chunk;
      });
      const allowOrigin = response.headers['access-control-allow-origin'];
      response.on('end', () => resolve({ status: response.statusCode, body, allowOrigin }));
    })
      .on('error', reject)
      .end();
  });
}
