/** Lists of dimensions for readers: they name those that are declared. */
import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { ALL_DIMENSIONS, factsOfDimension } from '../src/journal/analytics/dimensions.ts';

const skill = readFileSync('skills/trading-journal/SKILL.md', 'utf8');
const agents = readFileSync('docs/agents.md', 'utf8');
const analytics = readFileSync('docs/analytics.md', 'utf8');

test('the skill lists all, in their order', () => {
  const [, list = ''] = /^- `group_by`: one or two of ([^.]+)\./m.exec(skill) ?? [];
  expect(list.replace(/ \([^)]*\)/g, '').split(/,\s+/)).toEqual(ALL_DIMENSIONS);
});

test('the page on agents counts them', () => {
  const [, count] = /one or two of (\d+) dimensions/.exec(agents) ?? [];
  expect(Number(count)).toBe(ALL_DIMENSIONS.length);
});

test('the page on analytics explains all', () => {
  expect(ALL_DIMENSIONS.filter((name) => !analytics.includes(`\`${name}\``))).toEqual([]);
});

test('the page on analytics names those that leaks leave out', () => {
  const [, ofEnd = '', other = ''] =
    /except those made by the trade's own end \(([^)]+)\), (\S+), and those\s+of the calendar/.exec(
      analytics,
    ) ?? [];
  const named = [...`${ofEnd}, ${other}`.matchAll(/`([a-z_]+)`/g)].map(
    ([, name]) => name,
  );
  const calendar = ALL_DIMENSIONS.filter(
    (name) => factsOfDimension(name).form && isLeftOut(name),
  );
  expect([...named, ...calendar].sort()).toEqual(ALL_DIMENSIONS.filter(isLeftOut).sort());
  expect(calendar).toEqual(['month', 'day', 'week', 'quarter', 'year']);
});

function isLeftOut(name: (typeof ALL_DIMENSIONS)[number]): boolean {
  return factsOfDimension(name).isActionable === false;
}
