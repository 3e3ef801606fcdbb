/** The demo as users run it, with every printed call tried. */
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';

test('serves a sample year, prints calls that work, and leaves nothing behind', async () => {
  const demo = spawn(process.execPath, ['bin/journal-api', 'demo', '--port', '0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const printed = new Promise<void>((resolve, reject) => {
    demo.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('Stop with Ctrl-C')) resolve();
    });
    demo.once('exit', (code) =>
      reject(new Error(`the demo ended with ${code}: ${output}`)),
    );
  });
  const ended = new Promise((resolve) => demo.once('exit', resolve));
  try {
    await printed;
    const key = /export KEY=(jak_\w+)/.exec(output)?.[1] as string;
    const urls = [...output.matchAll(/^ {2}curl .*?"(http[^"]+)"$/gm)].map(
      (match) => match[1] as string,
    );
    expect(urls.length).toBeGreaterThanOrEqual(7);
    for (const url of urls) {
      const answer = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
      expect([url, answer.status]).toEqual([url, 200]);
    }
    const base = new URL(urls[0] as string).origin;
    const answer = await fetch(`${base}/v1/summary?period=1y`, {
      headers: { 'x-api-key': key },
    });
    const summary: any = await answer.json();
    expect(summary.data.performance.trades).toBeGreaterThan(350);
    // A year of figures leaves room for four of the five.
    expect(summary.data.recent_journals.length).toBeGreaterThanOrEqual(4);
    const leaks = await fetch(`${base}/v1/analytics/summary?period=all&sections=leaks`, {
      headers: { 'x-api-key': key },
    });
    const { costs, gains }: any = ((await leaks.json()) as any).data.leaks;
    // What the year shows its reader: short nights lose, and one setup pays.
    expect(costs[0]).toMatchObject({
      by: { sleep: 'under_6h' },
      net_pnl: expect.closeTo(-3832.37, 0),
    });
    expect(gains.map(({ by }: any) => by)).toContainEqual({
      setup: 'opening range breakout',
    });
    expect((await fetch(`${base}/v1/trades`)).status).toBe(401);
  } finally {
    demo.kill('SIGTERM');
  }
  expect(await ended).toBe(0);
  expect(existsSync(/^Everything is in (\S+)/m.exec(output)?.[1] as string)).toBe(false);
});
