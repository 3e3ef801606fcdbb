/** The page to look at, in a real browser. */
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { hasBrowser, visit } from '../chromium.ts';
import { type Served, serveSample } from './sample.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

const VIEWS = ['#/overview?period=90d', '#/trades', '#/trades/t-0100', '#/journal', '#/agent'];

/** Opens the page as `journal-api open` does, at a view. */
async function open(page: Page, { url, key }: Pick<Served, 'url' | 'key'>, view = ''): Promise<void> {
  await page.goto('about:blank');
  await page.goto(`${url}/#key=${key}`);
  await page.locator('.view').waitFor();
  if (view !== '') await show(page, view);
}

/** Goes to a view and waits until it shows all that it asked for. */
async function show(page: Page, view: string): Promise<void> {
  await page.evaluate(`location.hash = ${JSON.stringify(view)}`);
  await page.locator('.view').waitFor();
  await page.locator('.loading, .stale, [aria-busy="true"]').first().waitFor({ state: 'detached' });
}

/** What axe-core finds serious or worse, as it names it, with where. */
async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = (await page.evaluate("axe.run({ resultTypes: ['violations'] })")) as {
    violations: { id: string; impact: string; nodes: { html: string }[] }[];
  };
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
}

describe.skipIf(!hasBrowser)('the page (needs Chromium)', { timeout: 120_000 }, () => {
  test('shows each view of the sample year, asks no other host, and breaks no rule of its policy', async () => {
    const served = await serveSample();
    const { page, asked, complaints } = await visit();
    await open(page, served);
    for (const view of VIEWS) await show(page, view);
    expect(complaints).toEqual([]);
    expect(asked.filter((url) => !url.startsWith(`${served.url}/`))).toEqual([]);
    expect(served.world.log.join('')).not.toContain('jak_');
  });

  test.each(['light', 'dark'] as const)('axe-core finds nothing serious in the %s scheme', async (colorScheme) => {
    const served = await serveSample();
    const { page } = await visit();
    await page.emulateMedia({ colorScheme });
    await open(page, served);
    const found: Record<string, string[]> = {};
    for (const view of VIEWS) {
      await show(page, view);
      found[view] = await seriousFindings(page);
    }
    expect(found).toEqual(Object.fromEntries(VIEWS.map((view) => [view, []])));
  });
});
