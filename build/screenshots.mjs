/** Takes pictures of the dashboard for README and docs, from the sample trader's year: npm run screenshots (needs Chromium). */
import { spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const root = fileURLToPath(new URL('..', import.meta.url));
const images = join(root, 'docs', 'images');

/** File name, address, size and colour schemes. */
const PICTURES = [
  {
    name: 'overview',
    place: '#/overview?period=all',
    width: 1440,
    height: 900,
    schemes: ['light', 'dark'],
  },
  {
    name: 'month',
    place: '#/overview?period=last_month',
    width: 1280,
    height: 560,
    card: 'Days',
  },
  {
    name: 'habits',
    place: '#/overview?period=this_year',
    width: 1280,
    height: 760,
    card: 'By weekday and hour',
  },
  { name: 'trades', place: '#/trades?sort=r_multiple', width: 1280, height: 620 },
  { name: 'trade', place: '#/trades/t-0100', width: 1280, height: 760 },
  { name: 'journal', place: '#/journal', width: 1280, height: 860 },
  { name: 'agent', place: '#/agent', width: 1280, height: 860 },
  {
    name: 'phone',
    place: '#/overview?period=90d',
    width: 390,
    height: 844,
    schemes: ['dark'],
  },
];

/** Pixels per CSS pixel; 2 would make larger files. */
const PIXEL_RATIO = 1.5;
const QUALITY = 0.8;

const home = mkdtempSync(join(tmpdir(), 'journal-api-screenshots-'));
const demo = spawn(
  process.execPath,
  ['dist/program.cjs', 'demo', '--port', '0', '--home', join(home, 'journal')],
  {
    cwd: root,
    stdio: ['ignore', 'pipe', 'inherit'],
  },
);
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const address = await new Promise((resolve) => {
    let text = '';
    demo.stdout.on('data', (part) => {
      text += part;
      const found = /http\S+#key=\S+/.exec(text);
      if (found && text.includes('Stop with')) resolve(found[0]);
    });
  });
  mkdirSync(images, { recursive: true });
  for (const picture of PICTURES)
    for (const scheme of picture.schemes ?? ['light'])
      await take(picture, scheme, address);
} finally {
  await browser.close();
  demo.kill('SIGTERM');
  await new Promise((resolve) => demo.once('exit', resolve));
  rmSync(home, { recursive: true, force: true });
}

async function take(
  { name, place, width, height, schemes = [], card },
  colorScheme,
  address,
) {
  const page = await browser.newPage({
    viewport: { width, height },
    colorScheme,
    deviceScaleFactor: PIXEL_RATIO,
  });
  await page.goto(address);
  await page.locator('.view').waitFor();
  await page.evaluate((hash) => {
    location.hash = hash;
  }, place);
  do await page.waitForTimeout(500);
  while (await page.locator('.loading, .stale, [aria-busy="true"]').count());
  // Opens the parts that are folded and scrolls to the named card, if any.
  if (card) {
    const folded = page.locator('.fold:not([open]) > summary');
    while (await folded.count()) await folded.first().click();
    do await page.waitForTimeout(500);
    while (await page.locator('.loading, .stale').count());
    await page.evaluate((title) => {
      const found = [...document.querySelectorAll('.card')].find(
        (one) => one.querySelector('h2')?.textContent === title,
      );
      scrollTo(0, found.getBoundingClientRect().top + scrollY - 20);
    }, card);
    await page.waitForTimeout(300);
  }
  const png = await page.screenshot();
  const file = `${name}${schemes.length > 1 && colorScheme === 'dark' ? '-dark' : ''}.webp`;
  const webp = await toWebp(png);
  writeFileSync(join(images, file), webp);
  console.error(`docs/images/${file}: ${Math.round(webp.length / 1000)} KB`);
  await page.close();
}

/** WebP takes a quarter of PNG for such pictures, and the browser can write it. */
async function toWebp(png) {
  const page = await browser.newPage();
  const url = await page.evaluate(
    async ([source, quality]) => {
      const image = new Image();
      image.src = source;
      await image.decode();
      const canvas = document.createElement('canvas');
      canvas.width = image.width;
      canvas.height = image.height;
      canvas.getContext('2d').drawImage(image, 0, 0);
      return canvas.toDataURL('image/webp', quality);
    },
    [`data:image/png;base64,${png.toString('base64')}`, QUALITY],
  );
  await page.close();
  return Buffer.from(url.slice(url.indexOf(',') + 1), 'base64');
}
