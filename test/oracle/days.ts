/** Notes of days as `day --edit` prints them, changed as a person would and stored. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import * as fc from 'fast-check';
import { UserError } from '../../src/errors.ts';
import { userFor } from '../../src/journal-write/open.ts';
import { printedDay } from '../../src/notes/written-notes.ts';
import { ZoneClock } from '../../src/time.ts';
import type { ImportHome } from '../import/home.ts';
import { type Anchor, anchorOf, type Lines } from './anchors.ts';

const OF_DAY = ['mood', 'lesson', 'missed'] as const;
const OF_TRADE = ['setup', 'tags', 'rating', 'text'] as const;

/** What is typed for each letter that is drawn. */
const RATINGS: Readonly<Record<string, string>> = { a: '1', b: '2', c: '3' };

/** A change as drawn: the number chooses a trade or a missed trade, the date a day without them. */
export const dayEdit = fc.record({
  do: fc.constant('edit' as const),
  what: fc.constantFrom(...OF_DAY, ...OF_TRADE),
  number: fc.nat(20),
  date: fc.constantFrom('2026-11-18', '2026-11-19', '2026-11-20'),
  isCleared: fc.boolean(),
  text: fc.constantFrom('a', 'b', 'c'),
});

type DrawnEdit = typeof dayEdit extends fc.Arbitrary<infer T> ? T : never;

export interface DayEdit extends Omit<DrawnEdit, 'number' | 'date'> {
  date: string;
  /** The trade whose section changes. */
  trade: Anchor | undefined;
  /** The heading of the missed trade that goes. */
  heading: string | undefined;
}

/** @returns undefined if the journal has nothing that it could be about */
export function dayEditBy(
  { number, ...drawn }: DrawnEdit,
  home: ImportHome,
): DayEdit | undefined {
  const { what, isCleared, date } = drawn;
  if (isOfTrade(what)) {
    const trades = home.rows(
      'SELECT id, executed_at AS at FROM trades ORDER BY executed_at, id',
    );
    const trade = trades[number % Math.max(trades.length, 1)];
    if (!trade) return undefined;

    const opened = clockOf(home).dateOf(Date.parse(trade['at'] as string));
    return {
      ...drawn,
      date: opened,
      trade: anchorOf(home, trade['id'] as string),
      heading: undefined,
    };
  }
  const headings =
    what === 'missed' && isCleared ? printed(home, date).match(/^### .*$/gm) : [];
  if (!headings) return undefined;

  return {
    ...drawn,
    trade: undefined,
    heading: headings[number % Math.max(headings.length, 1)],
  };
}

/**
 * Prints the day, changes its text and stores it.
 * @throws UserError if the day hasn't what changes
 */
export function editDay(home: ImportHome, edit: DayEdit, lines: Lines): void {
  const before = printed(home, edit.date);
  const folder = join(home.folder, 'edited');
  mkdirSync(folder, { recursive: true });
  const file = home.file(
    join('edited', `${edit.date}.md`),
    changed(before, edit, home, lines),
  );
  const take = (dryRun: boolean) =>
    home.import(file, { printed: { file, path: file, text: before }, dryRun }).files[0];

  const problem = take(true)?.problems[0];
  if (problem) throw new UserError(problem.message);

  const { refused = [] } = take(false) ?? {};
  if (refused.length > 0) throw new Error(`refused at once: ${refused.join()}`);
}

function changed(
  text: string,
  { what, isCleared, text: letter, trade, heading }: DayEdit,
  home: ImportHome,
  lines: Lines,
): string {
  const value = isCleared ? '' : letter;
  if (what === 'mood') return replaced(text, /^mood:.*$/m, `mood: ${value}`);
  if (what === 'lesson') {
    return replaced(
      text,
      /^## Lesson\n[^#]*/m,
      `## Lesson\n${value && `Lesson ${value}.\n`}\n`,
    );
  }
  if (!trade) return withMissed(text, letter, heading);

  const id = lines.tradeOf(home, trade);
  const section = text
    .split(/^(?=## )/m)
    .find((part) => part.includes(`<!-- t:${id} -->`));
  if (section === undefined) throw new UserError(`no section of trade ${id}`);
  return replaced(text, section, changedSection(section, what, value));
}

function changedSection(section: string, what: DayEdit['what'], value: string): string {
  if (what === 'text') {
    const properties = section
      .split('\n')
      .filter((line, index) => index === 0 || line.includes(':: '));
    return `${properties.join('\n')}\n\n${value && `Text ${value}.\n\n`}`;
  }
  if (what === 'setup') {
    const others = section.replace(/^confluence::.*\n/m, '');
    const named = value && `\nconfluence:: ${value}`;
    return replaced(others, /^setup::.*$/m, `setup:: ${value}${named}`);
  }
  const typed = what === 'rating' ? (RATINGS[value] ?? '') : value;
  return replaced(section, new RegExp(`^${what}::.*$`, 'm'), `${what}:: ${typed}`);
}

/** Without the missed trade of a heading, or else with another one. */
function withMissed(text: string, letter: string, heading: string | undefined): string {
  if (heading !== undefined) {
    const sections = text.split(/^(?=##)/m);
    const others = sections.filter((section) => !section.startsWith(`${heading}\n`));
    if (others.length === sections.length) throw new UserError(`no section ${heading}`);
    return others.join('');
  }
  const added = `### 12:00 AAPL long\nreason:: ${letter}\n`;
  if (text.includes(added.split('\n')[0] as string))
    throw new UserError('it is there already');
  return `${text}\n${added}`;
}

function replaced(text: string, part: RegExp | string, by: string): string {
  const found = text.replace(part, () => by);
  if (found === text) throw new UserError(`nothing to change in ${String(part)}`);
  return found;
}

function printed(home: ImportHome, date: string): string {
  return printedDay(home.journal, userFor(home.journal, 'me'), date);
}

function clockOf(home: ImportHome): ZoneClock {
  return new ZoneClock(userFor(home.journal, 'me').timezone);
}

function isOfTrade(what: DayEdit['what']): boolean {
  return (OF_TRADE as readonly string[]).includes(what);
}
