/** Uses the dashboard as a user does. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { expect } from 'vitest';
import { pendingOf } from '../chromium.ts';
import type { Served } from './sample.ts';

const AXE = readFileSync(
  createRequire(import.meta.url).resolve('axe-core/axe.min.js'),
  'utf8',
);

export const VIEWS = [
  '#/overview?period=90d',
  '#/trades',
  '#/trades/t-0100',
  '#/journal',
  '#/agent',
];

/** Opens the dashboard as `journal-api open` does, at a view. */
export async function open(
  page: Page,
  { url, key }: Pick<Served, 'url' | 'key'>,
  view = '',
): Promise<void> {
  // Without it, the browser would stay on a page that is open already.
  if (page.url() !== 'about:blank') await page.goto('about:blank');
  await page.goto(`${url}/#key=${key}`);
  await page.locator('.view, .gate').waitFor();
  if (view !== '') await show(page, view);
}

/** Goes to a view and waits until it has loaded. */
export async function show(page: Page, view: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
  await settled(page);
}

export async function settled(page: Page): Promise<void> {
  await page.locator('.view').waitFor();
  // Not waitForFunction, which the Content-Security-Policy forbids.
  const waiting = `new Promise((done) => requestAnimationFrame(() => setTimeout(() =>
    done(document.querySelectorAll('.loading, .stale, [aria-busy="true"]').length), 30)))`;
  // Some parts ask for one record after the other, and show nothing that waits meanwhile.
  const unsettled = async () => Number(await page.evaluate(waiting)) + pendingOf(page);
  await expect.poll(unsettled).toBe(0);
}

/** Opens every part of the overview that is folded. */
export async function unfold(page: Page): Promise<void> {
  const closed = page.locator('.fold:not([open]) > summary');
  while (await closed.count()) await closed.first().click();
  await settled(page);
}

/** The rules on which a colour scheme has a bearing. */
export const COLOUR_RULES = ['color-contrast', 'link-in-text-block'];

/**
 * Violations found by axe-core, with their elements.
 * @param part selects the elements to look at
 * @param rules their names, if not all rules
 */
export async function axeFindings(
  page: Page,
  part = ':root',
  rules?: readonly string[],
): Promise<string[]> {
  if (!(await page.evaluate("'axe' in window"))) await page.evaluate(AXE);
  const options = { resultTypes: ['violations'], ...(rules && { runOnly: rules }) };
  const { violations } = (await page.evaluate(
    `axe.run(${JSON.stringify(part)}, ${JSON.stringify(options)})`,
  )) as {
    violations: { id: string; nodes: { html: string }[] }[];
  };
  return violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`,
  );
}

/** Violations in the light scheme and in the dark one, which differs in nothing but colours. */
export async function axeFindingsInBothSchemes(
  page: Page,
  part?: string,
): Promise<string[]> {
  await page.emulateMedia({ colorScheme: 'light' });
  const light = await axeFindings(page, part);
  await page.emulateMedia({ colorScheme: 'dark' });
  const dark = await axeFindings(page, part, COLOUR_RULES);
  return [...light, ...dark.map((finding) => `dark: ${finding}`)];
}
