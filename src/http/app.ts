/**
 * The application: Hono's router with the table of routes; the pipeline does the rest.
 */
import { Hono } from 'hono';
import { askApp } from './client.ts';
import { type AppSettings, Pipeline } from './pipeline.ts';
import type { Env } from './request-context.ts';
import { FILES, ROUTES } from './routes.ts';

export function createApp(settings: AppSettings): Hono<Env> {
  const app = new Hono<Env>();
  const pipeline = new Pipeline(settings, ROUTES, (within) => askApp(app, {}, within));
  for (const route of [
    ...ROUTES,
    ...FILES,
    ...(settings.protocols ?? []),
    ...(settings.oauth?.routes ?? []),
    ...(settings.ticket ? [settings.ticket] : []),
  ]) {
    app.all(route.path.replace('{id}', ':id'), (c) => pipeline.handle(c, route));
  }

  app.notFound((c) => pipeline.handle(c, undefined));
  return app;
}
