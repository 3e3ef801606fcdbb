/** The application: Hono's router is told the table of routes, the pipeline does the rest. */
import { Hono } from 'hono';
import { type AppSettings, Pipeline } from './pipeline.ts';
import type { Env } from './request-context.ts';
import { FILES, ROUTES } from './routes.ts';

export function createApp(settings: AppSettings): Hono<Env> {
  const pipeline = new Pipeline(settings, ROUTES);
  const app = new Hono<Env>();
  for (const route of [...ROUTES, ...FILES]) {
    app.all(route.path.replace('{id}', ':id'), (c) => pipeline.handle(c, route));
  }
  app.notFound((c) => pipeline.handle(c, undefined));
  return app;
}
