/** Problems of unknown paths and parameters, with suggestions. */
import { nearest } from '../errors.ts';
import { hideKeys } from '../keys/format.ts';
import { KEY_NAMES, ourNamesFor, plainName } from './parameter.ts';
import { notFound, Problem } from './problem.ts';
import type { KeyRoute, Route } from './route.ts';

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

  return notFound(
    meant === undefined
      ? `unknown path; the paths are ${all}`
      : `unknown path; did you mean ${meant}?`,
  );
}

function pathFor(
  first: string,
  second: string | undefined,
  paths: readonly string[],
): string | undefined {
  const heads = paths.map((path) => path.replace(/^\/v1\//, '').replace(/^\//, ''));
  const whole = second === undefined ? first : `${first}/${second}`;
  const exact = heads.indexOf(whole);
  if (exact !== -1) return paths[exact];

  const usual = (part: string) =>
    Object.hasOwn(USUAL_PATHS, part) ? USUAL_PATHS[part] : undefined;
  if (first.startsWith('trade') && second !== undefined && !first.includes('-'))
    return '/v1/trades/{id}';

  const found = nearest(whole, heads) ?? nearest(first, heads);
  return (
    usual(first) ??
    usual(second ?? '') ??
    (found === undefined ? undefined : paths[heads.indexOf(found)])
  );
}

/** @param names in the order they were sent, at least one */
export function unknownParameters(
  names: readonly string[],
  route: KeyRoute,
  routes: readonly Route[],
): Problem {
  const known = route.parameters().map(({ name }) => name);
  const shown = names.map((name) => ({
    name: hideKeys(name).slice(0, 100),
    advice: adviceFor(name, route, routes),
  }));
  const takes = known.length === 0 ? 'It has none.' : `It takes ${known.join(', ')}.`;
  const [first, ...more] = shown;
  const advice = first?.advice ? `; ${asSentence(first.advice)}` : '.';
  const all = shown.map(({ name, advice }) => `"${name}"${advice ? ` (${advice})` : ''}`);
  const said =
    more.length === 0
      ? `this endpoint has no parameter "${first?.name}"${advice}`
      : `this endpoint has no parameters ${all.join(', ')}.`;

  return new Problem('unknown_parameter', `${said} ${takes}`, {
    param: first?.name as string,
  });
}

function asSentence(advice: string): string {
  return advice.endsWith('?') ? advice : `${advice}.`;
}

function adviceFor(
  name: string,
  route: KeyRoute,
  routes: readonly Route[],
): string | undefined {
  const known = route.parameters().map((parameter) => parameter.name);
  if (KEY_NAMES.map(plainName).includes(plainName(name))) {
    return 'keys in URLs are refused because URLs are logged; send it as "Authorization: Bearer <key>"';
  }

  const meant =
    ourNamesFor(name).find((ours) => known.includes(ours)) ?? nearest(name, known);
  const sibling = siblingWith([name, ...ourNamesFor(name)], route, routes);
  const here = meant === undefined ? [] : [`did you mean ${meant}?`];

  return [
    ...here,
    ...(sibling && sibling.parameter !== meant
      ? [`${sibling.path} takes ${sibling.parameter}`]
      : []),
  ].join(' ');
}

/** The other summary, if it has the parameter. */
function siblingWith(
  names: readonly string[],
  { tag, path }: KeyRoute,
  routes: readonly Route[],
) {
  if (tag !== 'analytics') return undefined;

  for (const other of routes) {
    if (other.scope === 'public' || other.tag !== tag || other.path === path) continue;
    const parameter = names.find((name) =>
      other.parameters().some((candidate) => candidate.name === name),
    );
    if (parameter !== undefined) return { path: other.path, parameter };
  }

  return undefined;
}
