/** A report in a real browser, at each width, in both schemes and on paper. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { hasBrowser, visit } from '../chromium.ts';
import { sharedByTests, temporaryFolder } from '../helpers.ts';
import { runHere } from '../program.ts';
import { axeFindings, COLOUR_RULES } from './browse.ts';
import { serveSample } from './sample.ts';

describe.skipIf(!hasBrowser)('a report (needs Chromium)', () => {
  const sample = sharedByTests(serveSample);

  test.each([
    ['last_month', []],
    ['2026-W47', ['--hide', 'money,texts,symbols']],
  ])(
    'of %s with %j reads well at each width, loads nothing and prints',
    async (period, lens) => {
      const { world } = sample();
      const out = join(temporaryFolder(), 'report.html');
      const args = [
        'report',
        period === 'last_month' ? '2026-10' : period,
        '--out',
        out,
        '--home',
        world.files.home,
      ];
      expect((await runHere([...args, ...lens])).code).toBe(0);
      const { page, asked, complaints } = await visit();
      const address = pathToFileURL(out).href;
      await page.emulateMedia({ colorScheme: 'light' });
      await page.goto(address);
      for (const width of [768, 390, 1440]) {
        await page.setViewportSize({ width, height: 800 });
        expect([
          width,
          await page.evaluate('document.documentElement.scrollWidth'),
        ]).toEqual([width, width]);
        // Between a phone and a screen, it has what these have.
        if (width !== 768) expect([width, await axeFindings(page)]).toEqual([width, []]);
      }
      await page.emulateMedia({ colorScheme: 'dark' });
      expect(await axeFindings(page, ':root', COLOUR_RULES)).toEqual([]);
      // Its own style applies, inline widths of bars too.
      const widths = `[...document.querySelectorAll('.bar')].map((bar) => bar.getBoundingClientRect().width)`;
      expect(Math.max(...((await page.evaluate(widths)) as number[]))).toBeGreaterThan(
        10,
      );
      expect(await page.evaluate(`getComputedStyle(document.body).backgroundColor`)).toBe(
        'rgb(18, 20, 22)',
      );
      const text = await page.locator('body').innerText();
      expect(
        text.match(/NaN|undefined|Infinity|Show in the table|journal-api day/g),
      ).toBe(null);
      const day = page.locator('a.day').first();
      if (await day.count()) {
        await day.click();
        expect(page.url()).toMatch(/#2026-1[01]-\d\d$/);
      }
      // On A4, in CSS pixels without margins: the first page holds what a minute is for.
      await page.emulateMedia({ media: 'print' });
      await page.setViewportSize({ width: 726, height: 1054 });
      await page.evaluate('scrollTo(0, 0)');
      const ranked = (await page.locator('.ranked').last().boundingBox()) ?? {
        y: 0,
        height: 0,
      };
      expect(ranked.y).toBeGreaterThan(100);
      expect(ranked.y + ranked.height).toBeLessThan(1054);
      const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1');
      const sheets = pdf.match(/\/Type\s*\/Page\b(?!s)/g) ?? [];
      expect(sheets.length).toBeGreaterThan(1);
      expect(sheets.length).toBeLessThan(14);
      expect(complaints).toEqual([]);
      expect(asked.filter((url) => !url.startsWith(address))).toEqual([]);
    },
  );
});
