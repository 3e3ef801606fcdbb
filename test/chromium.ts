/** A browser for tests of pages; without one, these tests are skipped. */
import { existsSync } from 'node:fs';
import { chromium, type Page, type Request } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './helpers.ts';

const EXECUTABLE = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path));

export const hasBrowser = EXECUTABLE !== undefined;

const PENDING = new WeakMap<Page, Set<Request>>();

/** Requests of a page that have no answer yet. */
export const pendingOf = (page: Page): number => PENDING.get(page)?.size ?? 0;

interface Visit {
  page: Page;
  /** The browser's profile folder. */
  profile: string;
  /** Addresses of all requests of the page. */
  asked: string[];
  /** The browser's complaints: errors of scripts, and violations of the Content-Security-Policy. */
  complaints: string[];
}

/**
 * Opens an empty page in its own browser, which ends with the test.
 * @param ignoresCertificates for a service with a certificate made for the test
 */
export async function visit(ignoresCertificates = false): Promise<Visit> {
  const profile = temporaryFolder();
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: EXECUTABLE as string,
    ignoreHTTPSErrors: ignoresCertificates,
    args: [
      '--headless',
      '--no-sandbox',
      '--disable-gpu',
      '--disable-quic',
      '--no-first-run',
      '--disable-background-networking',
      '--disable-component-update',
      '--disable-sync',
    ],
  });
  onTestFinished(() => context.close());
  const page = await context.newPage();
  const asked: string[] = [];
  const complaints: string[] = [];
  const pending = new Set<Request>();
  PENDING.set(page, pending);
  page.on('request', (request) => {
    asked.push(request.url());
    pending.add(request);
  });
  page.on('requestfinished', (request) => void pending.delete(request));
  page.on('requestfailed', (request) => void pending.delete(request));
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(message.text());
  });
  return { page, asked, complaints, profile };
}
