/** A real Chromium, which must be installed on the machine: without it these tests fail, and say how to get it. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { type Browser, type BrowserContextOptions, chromium, type Page } from 'playwright-core';
import { afterAll, beforeAll, expect, onTestFinished } from 'vitest';
import { chromiumPath } from './chromium.ts';

export interface Tab {
  readonly page: Page;
  /** Errors of scripts, and violations of the content security policy. */
  readonly complaints: string[];
}

/** One browser for the tests of a file. */
export function useBrowser(args: readonly string[] = []): (options?: BrowserContextOptions) => Promise<Tab> {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: chromiumPath(),
      // As root in a container, Chromium cannot use its sandbox.
      args: ['--no-sandbox', '--disable-dev-shm-usage', ...args],
    });
  });
  afterAll(() => browser?.close());
  return async (options = {}) => {
    const context = await browser?.newContext({ viewport: { width: 1360, height: 880 }, ...options });
    if (!context) throw new Error('The browser has not been started');
    onTestFinished(() => context.close());
    const page = await context.newPage();
    page.setDefaultTimeout(20_000);
    const complaints: string[] = [];
    page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
    page.on('console', (message) => {
      // Some tests stop the operator, and the browser reports each failed request.
      if (message.type() === 'error' && !/Failed to load resource|net::ERR/.test(message.text()))
        complaints.push(message.text());
    });
    return { page, complaints };
  };
}

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** Checks every axe rule that can be decided automatically. */
export async function expectAccessible(page: Page, what: string): Promise<void> {
  // The page's policy would refuse an injected script; `evaluate` runs outside of it.
  await page.evaluate(AXE);
  const found = await page.evaluate(async () => {
    const { axe } = globalThis as unknown as {
      axe: {
        run(): Promise<{ violations: { id: string; nodes: { html: string; failureSummary?: string }[] }[] }>;
      };
    };
    const { violations } = await axe.run();
    return violations.map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`,
    );
  });
  expect(found, what).toEqual([]);
}
