/** A browser for tests of pages; without one, these tests are skipped. */
import { existsSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Page,
  type Request,
} from 'playwright-core';
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
  /** Addresses of all requests of the page. */
  asked: string[];
  /** The browser's complaints: errors of scripts, and violations of the Content-Security-Policy. */
  complaints: string[];
}

const LAUNCH = {
  executablePath: EXECUTABLE as string,
  args: ['--no-sandbox', '--disable-gpu', '--disable-quic'],
};

interface Shared {
  browser: Browser;
  context: BrowserContext;
  /** Keeps the window open: to open another takes longer than a tab. */
  blank: Page;
}

let started: Promise<Shared> | undefined;

/** The browser of this process's tests: to start one takes longer than many a test. */
async function sharedBrowser(): Promise<Shared> {
  if (!(await started)?.browser.isConnected()) started = start();
  return started as Promise<Shared>;
}

async function start(): Promise<Shared> {
  const browser = await chromium.launch(LAUNCH);
  // To draw animations takes time, and no test looks at one.
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  return { browser, context, blank: await context.newPage() };
}

/** How long a page may take for anything, in milliseconds: a busy machine is ten times slower. */
const PATIENCE = 120_000;

/**
 * Opens an empty tab. Tests share the browser's caches, which saves a third of their time, but
 * nothing that is stored: what a test leaves is cleared.
 */
export async function visit(): Promise<Visit> {
  const { context, blank } = await sharedBrowser();
  const visit = await visitIn(context);
  onTestFinished(async () => {
    const session = await context.newCDPSession(visit.page);
    for (const origin of new Set(visit.asked.map((address) => new URL(address).origin)))
      if (origin !== 'null')
        await session.send('Storage.clearDataForOrigin', {
          origin,
          storageTypes: 'cookies,local_storage',
        });
    for (const page of context.pages()) if (page !== blank) await page.close();
  });
  return visit;
}

/**
 * Opens an empty page in a context that no other test uses: for its own clock, or
 * @param ignoreHTTPSErrors for a service with a certificate made for the test
 */
export async function visitAlone({ ignoreHTTPSErrors = false } = {}): Promise<Visit> {
  const { browser } = await sharedBrowser();
  const context = await browser.newContext({ ignoreHTTPSErrors });
  onTestFinished(() => context.close());
  return visitIn(context);
}

/** Opens an empty page in a browser with a profile on disk, as a user's has. */
export async function visitWithProfile(): Promise<Visit & { profile: string }> {
  const profile = temporaryFolder();
  const context = await chromium.launchPersistentContext(profile, LAUNCH);
  onTestFinished(() => context.close());
  return { ...(await visitIn(context)), profile };
}

async function visitIn(context: BrowserContext): Promise<Visit> {
  context.setDefaultTimeout(PATIENCE);
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
  return { page, asked, complaints };
}
