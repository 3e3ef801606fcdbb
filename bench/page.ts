/**
 * Time of the dashboard on a large journal, in Chromium: node bench/page.ts [TRADES]
 * (default: 200,000). From the request for a period to its first figures, and the frames while the table scrolls.
 * Processor time is that of the service and of the dashboard's main thread together.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Page } from 'playwright-core';
import { makeJournal } from './make-journal.ts';

const trades = Number(process.argv[2] ?? 200_000);
const ROUNDS = 5;

/** The unit of times in /proc. */
const TICK_MS = 10;

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
const browser = await chromium.launch({
  executablePath: '/usr/bin/chromium',
  args: ['--no-sandbox', '--disable-gpu'],
});
try {
  const address = await new Promise<string>((resolve) => {
    let text = '';
    server.stdout.on('data', (part) => {
      text += part;
      if (text.includes('\n')) resolve(text.trim());
    });
  });
  const page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  const metrics = await page.context().newCDPSession(page);
  await metrics.send('Performance.enable', { timeDomain: 'threadTicks' });
  const processorTime = async () => {
    const [user, system] =
      readFileSync(`/proc/${server.pid}/stat`, 'utf8').split(') ')[1]?.split(' ').slice(11) ?? [];
    const { metrics: values } = await metrics.send('Performance.getMetrics');
    const task = values.find(({ name }) => name === 'TaskDuration')?.value ?? 0;
    return (Number(user) + Number(system)) * TICK_MS + task * 1000;
  };
  for (const [period, start] of Object.entries({
    all: '2020-01-',
    'a year': '2025-11-',
    '90 days': '2026-08-',
  })) {
    const times: number[] = [];
    const costs: number[] = [];
    for (let round = 0; round < ROUNDS; round++) {
      await page.goto('about:blank');
      await page.goto(address);
      await page.locator('.view').waitFor();
      await page.waitForLoadState('networkidle');
      const before = await processorTime();
      // A different period each time, so that no response comes from the cache.
      times.push(await untilShown(page, `#/overview?start=${start}${11 + round}`, '.figure-main'));
      costs.push((await processorTime()) - before);
    }
    console.log(
      `overview of ${period}, ${trades} trades in the journal: ${median(times).toFixed(0)} ms to the first figures, ${median(costs).toFixed(0)} ms on the processor`,
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

/**
 * Milliseconds from going to a view until the frame with an element of it is painted. The page itself watches: Playwright's
 * waiting looks again after 20, 50, 100, 100 and 500 ms only.
 */
async function untilShown(page: Page, hash: string, selector: string): Promise<number> {
  return page.evaluate(`new Promise((resolve) => {
    const isShown = () => document.querySelector(${JSON.stringify(`.view:not(.stale) ${selector}`)}) !== null;
    let isGone = false;
    const observer = new MutationObserver(() => {
      isGone ||= !isShown();
      if (!isGone || !isShown()) return;
      observer.disconnect();
      // The first task after the frame's paint: before what the dashboard does next.
      const settle = () => resolve(performance.now() - started);
      requestAnimationFrame(() => scheduler.postTask(settle, { priority: 'user-blocking' }));
    });
    observer.observe(document.body, { subtree: true, childList: true, attributeFilter: ['class'] });
    const started = performance.now();
    location.hash = ${JSON.stringify(hash)};
  })`);
}

/** Processor time of the main thread for each frame in which new rows come into view, in milliseconds. */
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
  const { traceEvents } = JSON.parse(String(await browser.stopTracing())) as {
    traceEvents: TraceEvent[];
  };
  const events = traceEvents.sort((a, b) => a.ts - b.ts);
  const start = events.find(({ name }) => name === 'step') as TraceEvent;
  const frames: number[] = [];
  for (const { name, pid, tid, tdur = 0 } of events.slice(events.indexOf(start))) {
    if (pid !== start.pid || tid !== start.tid) continue;
    if (name === 'step') frames.push(0);
    if (name === 'ThreadControllerImpl::RunTask')
      frames.push((frames.pop() as number) + tdur / 1000);
  }
  return frames.slice(0, -1);
}

/** An event of Chromium's trace; times in microseconds. */
interface TraceEvent {
  name: string;
  pid: number;
  tid: number;
  ts: number;
  /** Processor time. */
  tdur?: number;
}

function median(values: readonly number[]): number {
  return percentile(values, 0.5);
}

function percentile(values: readonly number[], share: number): number {
  return [...values].sort((a, b) => a - b)[Math.floor((values.length - 1) * share)] as number;
}
