/** Suggestions for unknown paths. */
import { nearest } from '../errors.ts';
import { notFound, type Problem } from './problem.ts';
import type { Route } from './route.ts';

/** Names of these resources in other APIs. */
const USUAL_PATHS: Readonly<Record<string, string>> = {
  positions: '/v1/trades',
  orders: '/v1/trades',
  executions: '/v1/trades/{id}',
  fills: '/v1/trades/{id}',
  journal: '/v1/journal-rows',
  journals: '/v1/journal-rows',
  notes: '/v1/journal-rows',
  entries: '/v1/journal-rows',
  reviews: '/v1/weekly-reviews',
  stats: '/v1/analytics/summary',
  statistics: '/v1/analytics/summary',
  performance: '/v1/analytics/summary',
  metrics: '/v1/analytics/summary',
  analytics: '/v1/analytics/summary',
  tags: '/v1/labels',
  setups: '/v1/labels',
  symbols: '/v1/labels',
  mistakes: '/v1/labels',
  user: '/v1/me',
  account: '/v1/me',
  accounts: '/v1/labels',
  docs: '/openapi.json',
};

/** @param path as requested */
export function unknownPath(path: string, routes: readonly Route[]): Problem {
  const paths = routes.map((route) => route.path);
  const parts = path
    .toLowerCase()
    .split('/')
    .filter((part) => part !== '');
  const [first = '', second] = parts[0] === 'v1' ? parts.slice(1) : parts;
  const meant = first === '' ? undefined : pathFor(first, second, paths);
  const all = paths.filter((known) => known.startsWith('/v1')).join(', ');
  return notFound(meant === undefined ? `unknown path; the paths are ${all}` : `unknown path; did you mean ${meant}?`);
}

function pathFor(first: string, second: string | undefined, paths: readonly string[]): string | undefined {
  const heads = paths.map((path) => path.replace(/^\/v1\//, '').replace(/^\//, ''));
  const whole = second === undefined ? first : `${first}/${second}`;
  const exact = heads.indexOf(whole);
  if (exact !== -1) return paths[exact];
  const near = second === undefined ? undefined : USUAL_PATHS[second];
  if (first.startsWith('trade') && second !== undefined && !first.includes('-')) return '/v1/trades/{id}';
  const usual = Object.hasOwn(USUAL_PATHS, first) ? USUAL_PATHS[first] : undefined;
  const found = nearest(whole, heads) ?? nearest(first, heads);
  return usual ?? near ?? (found === undefined ? undefined : paths[heads.indexOf(found)]);
}
