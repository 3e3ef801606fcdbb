/** Pictures of a week's notes in the dashboard: from the vault to the page. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { importPaths } from '../../src/import/index.ts';
import { hasBrowser, visit } from '../chromium.ts';
import { NOW, tradeRow, World } from '../helpers.ts';
import {
  gif,
  gifImage,
  jpegWith,
  png,
  realPicture,
} from '../pictures/sample-pictures.ts';
import { open, show } from './browse.ts';
import { serve } from './sample.ts';

const SCREENSHOTS = {
  'plan.png': realPicture('chart.png'),
  'entry.jpg': jpegWith(),
  'exit.webp': realPicture('chart.webp'),
  'replay.gif': gif({}, gifImage(3, 2)),
  'week.png': png({ width: 640, height: 300 }),
};

/** A week with a trade, in a vault. */
function vaultOf(world: World): string {
  const vault = join(world.files.home, 'vault');
  mkdirSync(join(vault, 'shots'), { recursive: true });
  mkdirSync(join(vault, '.obsidian'));
  for (const [name, bytes] of Object.entries(SCREENSHOTS))
    writeFileSync(join(vault, 'shots', name), bytes);
  writeFileSync(
    join(vault, '2026-11-18.md'),
    '## Plan\nWait.\n![[plan.png]]\n\n## 14:30 MNQZ6 long\nHeld. ![the entry](shots/entry.jpg) ![[exit.webp]]\n\n## Notes\n![[replay.gif]]\n',
  );
  writeFileSync(
    join(vault, '2026-W47.md'),
    '---\ntype: week\nperiod_start: 2026-11-16\n---\n## Summary\nGood.\n![[week.png]]\n',
  );
  return vault;
}

describe.skipIf(!hasBrowser)('pictures in the dashboard (needs Chromium)', () => {
  test('are fetched with the key when they come into view, and shown as blob:', async () => {
    const world = new World();
    const facts = { symbol: 'MNQZ6', executed_at: '2026-11-18T14:30:00.000Z' };
    const closed = { status: 'closed', closed_at: '2026-11-18T15:00:00.000Z' };
    world.insert('trades', tradeRow('t-1', { ...facts, ...closed }));
    importPaths({ paths: [vaultOf(world)], journal: world.files.journal, now: NOW });

    const served = await serve(world);
    const { page, asked, complaints } = await visit();
    await open(page, served);
    await show(page, '#/trades/t-1');
    const pictures = page.locator('.picture img');
    await expect.poll(() => pictures.count()).toBeGreaterThanOrEqual(2);

    await show(page, '#/journal?show=all');
    await page.locator('.picture').first().waitFor();
    for (const picture of await page.locator('.picture').all()) {
      await picture.scrollIntoViewIfNeeded();
      await picture.locator('img').waitFor();
    }
    const shown = await page
      .locator('.picture img')
      .evaluateAll((images) =>
        (images as unknown as { src: string; naturalWidth: number; alt: string }[]).map(
          ({ src, naturalWidth, alt }) => ({ src: src.slice(0, 5), naturalWidth, alt }),
        ),
      );
    expect(shown.length).toBeGreaterThanOrEqual(3);
    for (const { src, naturalWidth } of shown) {
      expect(src).toBe('blob:');
      expect(naturalWidth).toBeGreaterThan(0);
    }

    const addresses = asked.filter((url) => url.includes('/v1/attachments/'));
    expect(new Set(addresses).size).toBe(5);
    expect(
      addresses.filter((url) => url.includes(served.key) || url.includes('?')),
    ).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
