/** A browser for tests of pages; without one, these tests are skipped. */
import { existsSync } from 'node:fs';
import { chromium, type Page } from 'playwright-core';
import { onTestFinished } from 'vitest';
import { temporaryFolder } from './helpers.ts';

const EXECUTABLE = [
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => existsSync(path));

export const hasBrowser = EXECUTABLE !== undefined;

interface Visit {
  page: Page;
  /** The browser's profile folder. */
  profile: string;
  /** Addresses of all requests of the page. */
  asked: string[];
  /** The browser's complaints: errors of scripts, and violations of the Content-Security-Policy. */
  complaints: string[];
}

/** Opens an empty page in its own browser, which ends with the test. */
export async function visit(): Promise<Visit> {
  const profile = temporaryFolder();
  const context = await chromium.launchPersistentContext(profile, {
    executablePath: EXECUTABLE as string,
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
  page.on('request', (request) => void asked.push(request.url()));
  page.on('pageerror', (error) => void complaints.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning')
      complaints.push(message.text());
  });
  return { page, asked, complaints, profile };
}
