/** The view of a tool's answer in the extension's own host, in a real browser. */
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { build } from 'esbuild';
import { describe, expect, onTestFinished, test } from 'vitest';
import { readAsset } from '../../src/embedded.ts';
import { hasBrowser, visit } from '../chromium.ts';
import { DAY, NOW, tradeRow } from '../helpers.ts';
import { call, connectOverHttp, mcpWorld, serveMcpOverHttp } from '../mcp/connect.ts';

/** A page with the official host: it shows the view in a frame without any origin, and passes it the answer. */
const HOST = `
  import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';
  window.show = (html, answer, theme) => new Promise((resolve, reject) => {
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    frame.style.width = '100%';
    document.body.replaceChildren(frame);
    const bridge = new AppBridge(null, { name: 'host', version: '1' }, {}, { hostContext: { theme } });
    bridge.addEventListener('initialized', () => {
      bridge.sendToolInput({ arguments: {} });
      bridge.sendToolResult({ content: [{ type: 'text', text: JSON.stringify(answer) }], structuredContent: answer });
    });
    bridge.addEventListener('sizechange', ({ height }) => { frame.style.height = height + 'px'; if (height > 100) resolve(height); });
    bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow)).catch(reject);
    frame.srcdoc = html;
  });
`;

async function hostScript(): Promise<string> {
  const { outputFiles } = await build({
    stdin: { contents: HOST, resolveDir: process.cwd(), loader: 'ts' },
    bundle: true,
    write: false,
    format: 'esm',
    platform: 'browser',
    logLevel: 'error',
  });
  return String(outputFiles[0]?.text);
}

describe.skipIf(!hasBrowser)('the view of an answer (needs Chromium)', () => {
  test('shows the figures, curve and tables of both tools, in each theme, and requests nothing', async () => {
    const world = mcpWorld();
    const at = (i: number) => new Date(NOW - i * DAY).toISOString();
    const row = (i: number) =>
      tradeRow(`t${i}`, {
        executed_at: at(i),
        closed_at: at(i),
        gross_pnl: i - 10,
        fees: 0,
      });
    world.insert('trades', ...Array.from({ length: 28 }, (_, i) => row(i)), {
      ...row(1),
      id: 'x',
      setup: '</script><img src=x onerror=alert(1)>',
    });
    const client = await connectOverHttp(
      '2.4, automatic',
      await serveMcpOverHttp(world),
      world.key(),
    );
    const html = readAsset('answer-view.html').toString();
    const { page, asked, complaints } = await visit();
    await page.addScriptTag({ type: 'module', content: await hostScript() });
    const answers = [
      await call(client, 'journal_summary'),
      await call(client, 'analyze_performance', { group_by: 'week', period: '90d' }),
      await call(client, 'analyze_performance', { group_by: 'setup' }),
    ];
    const shown = ['light', 'dark'].flatMap((theme) =>
      answers.map((answer) => ({ theme, answer })),
    );
    for (const { theme, answer } of shown) {
      await page.waitForFunction('window.show !== undefined');
      await page.evaluate(
        `window.show(${JSON.stringify(html)}, ${JSON.stringify(answer)}, ${JSON.stringify(theme)})`,
      );
      // By its element: the frame has a process of its own, and the last answer's may still be ending.
      const frame = page.frameLocator('iframe');
      const text = () => frame.locator('body').innerText();
      await expect.poll(text).toContain(String(answer.performance.trades));
      expect(await frame.locator('svg').count()).toBe(
        answer.groups?.columns[0] === 'setup' ? 0 : 1,
      );
      expect(await frame.locator('details').count()).toBeGreaterThan(0);
      expect(await frame.locator('img').count()).toBe(0);
      const scheme = 'getComputedStyle(document.documentElement).colorScheme';
      expect(await frame.locator(':root').evaluate(scheme)).toBe(theme);
      await frame.locator('summary').first().click();
    }
    expect([asked.filter((url) => !/^about:|^data:/.test(url)), complaints]).toEqual([
      [],
      [],
    ]);
  });
});

test('only clients that show views, or do not say, are offered it', async () => {
  const world = mcpWorld();
  const url = await serveMcpOverHttp(world);
  const without = await connectOverHttp('2.4, pinned to 2026-07-28', url, world.key());
  const { tools } = await without.listTools();
  expect(JSON.stringify(tools)).not.toContain('ui://');
  expect(JSON.stringify(await without.listResources())).not.toContain('ui://');
  const extensions = {
    'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] },
  };
  const client = new Client(
    { name: 'test', version: '1' },
    { capabilities: { extensions }, versionNegotiation: { mode: { pin: '2026-07-28' } } },
  );
  const requestInit = { headers: { Authorization: `Bearer ${world.key()}` } };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit }));
  onTestFinished(() => client.close());
  const offered = (await client.listTools()).tools.flatMap(({ name, _meta }) =>
    _meta ? [[name, _meta['ui']]] : [],
  );
  const view = { resourceUri: 'ui://trading-journal/figures' };
  expect(offered).toEqual([
    ['journal_summary', view],
    ['analyze_performance', view],
  ]);
});
