/** /docs: the description as a page. Its tests in a browser are in test/web/docs.test.ts. */
import { expect, test } from 'vitest';
import { World } from '../helpers.ts';

const FILES = [
  '/docs',
  '/assets/docs.css',
  '/assets/docs.js',
  '/assets/swagger-ui.css',
  '/assets/swagger-ui.js',
];

test('each of its files has a type and an ETag, and needs no key', async () => {
  const world = new World();
  const types = [];
  for (const path of FILES) {
    const reply = await world.app.request(path);
    const text = await reply.text();
    expect(reply.status).toBe(200);
    expect(text).not.toContain('sourceMappingURL');
    types.push(reply.headers.get('Content-Type'));
    const again = await world.app.request(path, {
      headers: { 'If-None-Match': reply.headers.get('ETag') as string },
    });
    expect(again.status).toBe(304);
    expect((await world.app.request(path, { method: 'POST' })).status).toBe(405);
  }
  const [css, js] = ['text/css; charset=utf-8', 'text/javascript; charset=utf-8'];
  expect(types).toEqual(['text/html; charset=utf-8', css, js, css, js]);
});

test('the page cannot run inline scripts, or send requests to other hosts', async () => {
  const world = new World();
  const reply = await world.app.request('/docs');
  const policy = Object.fromEntries(
    (reply.headers.get('Content-Security-Policy') ?? '')
      .split('; ')
      .map((part) => part.split(/ (.*)/).slice(0, 2)),
  );
  expect(policy).toEqual({
    'default-src': "'none'",
    'script-src': "'self'",
    'style-src': "'self'",
    'img-src': "'self' data:",
    'connect-src': "'self'",
    'base-uri': "'none'",
    'form-action': "'none'",
    'frame-ancestors': "'none'",
  });
  expect(await reply.text()).not.toMatch(
    /<script(?! src="assets\/)|<style|\son\w+=|https?:/,
  );
});
