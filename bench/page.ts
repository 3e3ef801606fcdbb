/**
 * How long the page takes on a large journal, in Chromium: node bench/page.ts [TRADES]
 * (200,000 unless said otherwise). From asking for a view to its figures, and the frames while the table is scrolled through.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { makeJournal } from './make-journal.ts';

const trades = Number(process.argv[2] ?? 200_000);
const ROUNDS = 5;

const home = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
makeJournal(join(home, 'journal.db'), trades);
const server = spawn(process.execPath, [
  'dist/program.cjs',
  'open',
  '--no-browser',
  '--port',
  '0',
  '--rate-limit',
  '0',
  '--home',
  home,
]);
const browser = await chromium.launch({ executablePath: '/usr/bin/chromium', args: ['--no-sandbox', '--disable-gpu'] });
try {
  const address = await new Promise<string>((resolve) => {
    let text = '';
    server.stdout.on('data', (part) => {
      text += part;
      if (text.includes('\n')) resolve(text.trim());
    });
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  for (const period of ['all', '1y', '90d'] as const) {
    const times: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await page.goto('about:blank');
      await page.goto(address);
      await page.locator('.view').waitFor();
      // Another window each time, so that no answer comes from the cache.
      const query = period === 'all' ? `start=2000-01-0${round + 1}` : `period=${period}`;
      times.push(await untilShown(page, `#/overview?${query}`, '.curve canvas'));
    }
    console.log(
      `overview of ${period}, ${trades} trades in the journal: ${median(times).toFixed(0)} ms to its figures, the first ${times[0]?.toFixed(0)} ms`,
    );
  }
  console.log(
    `table to its first rows: ${(await untilShown(page, '#/trades', 'table.trades tbody tr')).toFixed(0)} ms`,
  );
  const frames = await framesWhileScrolling(page);
  const late = frames.filter((frame) => frame > 16.7).length;
  console.log(
    `scrolling it: ${frames.length} frames, ${median(frames).toFixed(1)} ms on the processor each, 95th percentile ${percentile(frames, 0.95).toFixed(1)} ms, ${late} of more than 16.7 ms`,
  );
} finally {
  await browser.close();
  server.kill('SIGTERM');
  await once(server, 'exit');
  rmSync(home, { recursive: true, force: true });
}

/** Milliseconds from going to a view until something of it is there. */
async function untilShown(page: Page, hash: string, selector: string): Promise<number> {
  await page.evaluate(`window.started = performance.now(); location.hash = ${JSON.stringify(hash)}`);
  await page.locator('.view:not(.stale)').locator(selector).first().waitFor();
  return (await page.evaluate('performance.now() - window.started')) as number;
}

/** Milliseconds that each frame costs the page's main thread while new rows come into view, however busy the machine is. */
async function framesWhileScrolling(page: Page): Promise<number[]> {
  await browser.startTracing(page, { categories: ['toplevel', 'blink.user_timing'] });
  await page.evaluate(`new Promise((resolve) => {
    let left = 300;
    const step = () => {
      performance.mark('step');
      scrollBy(0, 400);
      requestAnimationFrame(() => setTimeout(() => (left-- > 0 ? step() : resolve()), 20));
    };
    step();
  })`);
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as { traceEvents: TraceEvent[] };
  const events = traceEvents.sort((a, b) => a.ts - b.ts);
  const start = events.find(({ name }) => name === 'step') as TraceEvent;
  const frames: number[] = [];
  for (const { name, pid, tid, tdur = 0 } of events.slice(events.indexOf(start))) {
    if (pid !== start.pid || tid !== start.tid) continue;
    if (name === 'step') frames.push(0);
    if (name === 'ThreadControllerImpl::RunTask') frames.push((frames.pop() as number) + tdur / 1000);
  }
  return frames.slice(0, -1);
}

/** As Chromium writes it; microseconds. */
interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ts: number;
  /** Time on the processor. */
  tdur?: number;
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] as number;
}
