/** The application: Hono's router with the table of routes; the pipeline does the rest. */
import { Hono } from 'hono';
import { askApp } from './client.ts';
import { type AppSettings, Pipeline } from './pipeline.ts';
import type { Env } from './request-context.ts';
import { FILES, ROUTES } from './routes.ts';

/** Headers that identify the client. */
const CREDENTIALS = ['authorization', 'x-api-key'] as const;

export function createApp(settings: AppSettings): Hono<Env> {
  const app = new Hono<Env>();
  const pipeline = new Pipeline(settings, ROUTES, (headers, counted) => {
    const sent = CREDENTIALS.flatMap((name) => (headers[name] === undefined ? [] : [[name, String(headers[name])]]));
    return askApp(app, Object.fromEntries(sent), counted);
  });
  for (const route of [...ROUTES, ...FILES, ...(settings.protocols ?? [])]) {
    app.all(route.path.replace('{id}', ':id'), (c) => pipeline.handle(c, route));
  }
  app.notFound((c) => pipeline.handle(c, undefined));
  return app;
}
