/** Suggestions for parameters that an endpoint doesn't have. */
import { nearest } from '../errors.ts';
import { hideKeys } from '../keys/format.ts';
import { Problem } from './problem.ts';
import type { KeyRoute, Route } from './route.ts';
import { KEY_NAMES, ourNamesFor, plainName } from './usual-names.ts';

/** @param names in the order they were sent, at least one */
export function unknownParameters(names: readonly string[], route: KeyRoute, routes: readonly Route[]): Problem {
  const known = route.parameters().map(({ name }) => name);
  const shown = names.map((name) => ({ name: hideKeys(name).slice(0, 100), advice: adviceFor(name, route, routes) }));
  const takes = known.length === 0 ? 'It has none.' : `It takes ${known.join(', ')}.`;
  const [first, ...more] = shown;
  const said =
    more.length === 0
      ? `this endpoint has no parameter "${first?.name}"${first?.advice ? `; ${asSentence(first.advice)}` : '.'}`
      : `this endpoint has no parameters ${shown.map(({ name, advice }) => `"${name}"${advice ? ` (${advice})` : ''}`).join(', ')}.`;
  return new Problem('unknown_parameter', `${said} ${takes}`, { param: first?.name as string });
}

function asSentence(advice: string): string {
  return advice.endsWith('?') ? advice : `${advice}.`;
}

function adviceFor(name: string, route: KeyRoute, routes: readonly Route[]): string | undefined {
  const known = route.parameters().map((parameter) => parameter.name);
  if (KEY_NAMES.map(plainName).includes(plainName(name))) {
    return 'keys in URLs are refused because URLs are logged; send it as "Authorization: Bearer <key>"';
  }
  const meant = ourNamesFor(name).find((ours) => known.includes(ours)) ?? nearest(name, known);
  const sibling = siblingWith([name, ...ourNamesFor(name)], route, routes);
  const here = meant === undefined ? [] : [`did you mean ${meant}?`];
  return [
    ...here,
    ...(sibling && sibling.parameter !== meant ? [`${sibling.path} takes ${sibling.parameter}`] : []),
  ].join(' ');
}

/** The other summary, if it has the parameter. */
function siblingWith(names: readonly string[], { tag, path }: KeyRoute, routes: readonly Route[]) {
  if (tag !== 'analytics') return undefined;
  for (const other of routes) {
    if (other.scope === 'public' || other.tag !== tag || other.path === path) continue;
    const parameter = names.find((name) => other.parameters().some((candidate) => candidate.name === name));
    if (parameter !== undefined) return { path: other.path, parameter };
  }
  return undefined;
}
