/** Lists and counts in texts for readers: they name what is declared. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ROUTES } from '../src/http/routes.ts';
import { ALL_DIMENSIONS, factsOfDimension } from '../src/journal/analytics/dimensions.ts';
import { LONG_SECTIONS } from '../src/journal/analytics/index.ts';
import { CALENDAR_PERIODS } from '../src/journal/analytics/period.ts';
import { TOOLS } from '../src/mcp/server.ts';
import { World } from './helpers.ts';

const read = (path: string) => readFileSync(path, 'utf8');
const skill = read('skills/trading-journal/SKILL.md');
const analytics = read('docs/analytics.md');

/** The first match of a pattern's group. */
function part(text: string, pattern: RegExp): string {
  const [, found] = pattern.exec(text) ?? [];
  if (found === undefined) throw new Error(`no text like ${pattern}`);
  return found;
}

const inTicks = (text: string) =>
  [...text.matchAll(/`([^`]+)`/g)].map(([, name]) => name);

function parametersOf(path: string): string[] {
  const route = ROUTES.find((each) => each.path === path);
  return route?.scope === 'public'
    ? []
    : (route?.parameters().map(({ name }) => name) ?? []);
}

test('the skill lists all dimensions, in their order', () => {
  const list = part(skill, /^- `group_by`: one or two of ([^.]+)\./m);
  expect(list.replace(/ \([^)]*\)/g, '').split(/,\s+/)).toEqual(ALL_DIMENSIONS);
});

test('the skill lists all filters that trades and figures share', () => {
  const figures = parametersOf('/v1/analytics/summary');
  const shared = parametersOf('/v1/trades').filter((name) => figures.includes(name));
  // Explained in sentences of their own.
  const others = ['start', 'end', 'where', 'field', 'status'];
  const list = part(skill, /^- Filters of trades and figures: ([^.]+)\./m);
  expect(inTicks(list).sort()).toEqual(
    shared.filter((name) => !others.includes(name)).sort(),
  );
});

/** wtd and others of its kind are other names. */
const PERIODS = CALENDAR_PERIODS.filter((name) => !name.endsWith('td'));

test.each([
  ['the skill', part(skill, /^- `period`: ([^.]+)\./m)],
  ['the page on analytics', part(analytics, /^## Periods\n([\s\S]+?)\n## /m)],
])('%s names all periods of the calendar', (_what, text) => {
  expect(PERIODS.filter((name) => !inTicks(text).includes(name))).toEqual([]);
});

test.each([
  ['docs/analytics.md', /The slow or long sections\s+(.+) are included only if named/],
  ['docs/api.md', /these parts\. ([\s\S]+?) must be named/],
])('%s names all sections that have to be named', (path, pattern) => {
  expect(inTicks(part(read(path), pattern)).sort()).toEqual([...LONG_SECTIONS].sort());
});

test('the page on the API has each path under /v1, with its scope, in their order', () => {
  const rows = [...read('docs/api.md').matchAll(/^\| `(\/v1\/\S+)` \|.*\| (.+) \|$/gm)];
  const named = rows.map(([, path, scope]) => `${path} ${scope?.replaceAll('`', '')}`);
  const declared = ROUTES.filter(({ scope }) => scope !== 'public');
  expect(named.map((row) => row.replace('{name}', '{id}'))).toEqual(
    declared.map(({ path, scope }) => `${path} ${scope}`),
  );
});

test('the page on agents has each tool', () => {
  const named = [...read('docs/agents.md').matchAll(/^\| `([a-z_]+)` \|/gm)].map(
    ([, name]) => name,
  );
  expect(named).toEqual(TOOLS.map(({ name }) => name));
});

test('README counts no more platforms than have a section', () => {
  const sections = read('docs/platforms.md').match(/^\*\*[^*]+\*\* \(`/gm) ?? [];
  const counted = Number(part(read('README.md'), /more than (\d+) platforms/));
  expect(counted).toBeLessThan(sections.length);
  expect(counted).toBeGreaterThan(sections.length - 20);
});

test('/llms.txt states the size of the API description', async () => {
  const world = new World();
  const { text } = await world.ask('/openapi.json');
  const stated = Number(
    part((await world.ask('/llms.txt')).text, /OpenAPI 3\.1, over (\d+) KB/),
  );
  expect(text.length).toBeGreaterThan(stated * 1000);
  expect(text.length).toBeLessThan((stated + 100) * 1000);
});

test('the page on analytics explains all dimensions', () => {
  expect(ALL_DIMENSIONS.filter((name) => !analytics.includes(`\`${name}\``))).toEqual([]);
});

test('the page on analytics names those that leaks leave out', () => {
  const [, ofEnd = '', other = ''] =
    /except those made by the trade's own end \(([^)]+)\), (\S+), and those\s+of the calendar/.exec(
      analytics,
    ) ?? [];
  const named = inTicks(`${ofEnd}, ${other}`);
  const calendar = ALL_DIMENSIONS.filter(
    (name) => factsOfDimension(name).form && isLeftOut(name),
  );
  expect([...named, ...calendar].sort()).toEqual(ALL_DIMENSIONS.filter(isLeftOut).sort());
  expect(calendar).toEqual(['month', 'day', 'entry_day', 'week', 'quarter', 'year']);
});

function isLeftOut(name: (typeof ALL_DIMENSIONS)[number]): boolean {
  return factsOfDimension(name).isActionable === false;
}
