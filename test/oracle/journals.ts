/** Journals with random lines: as given, and given again without one of them. */
import { copyFileSync } from 'node:fs';
import { undoImport } from '../../src/edit/undo.ts';
import { UserError } from '../../src/errors.ts';
import { ImportHome } from '../import/home.ts';
import { type Anchor, anchorOf, Lines } from './anchors.ts';
import { type Drawn, type Given, give, givenBy } from './commands.ts';
import { ALL_FILES } from './files.ts';

const MINUTE = 60_000;

const newHome = () => new ImportHome().withUser('me', { timezone: 'America/New_York' });

/** A line of `import list`. */
export interface Line {
  id: number;
  now: number;
  given: Given;
  /** What the notes were about that it read: another reading is no fair comparison. */
  read: readonly About[];
}

/** A record that a note states, by its id, or by the trade that it is about. */
interface About {
  resource: string;
  id: string;
  trade: Anchor | undefined;
}

/** In place of the id of what another program wrote. */
export const NO_LINE = -1;

export class GivenJournal {
  readonly home = newHome();
  readonly lines: Line[] = [];

  constructor(drawn: readonly Drawn[]) {
    for (const [name, text] of Object.entries(ALL_FILES)) this.home.file(name, text);
    for (const one of drawn) this.#give(one);
  }

  #give(drawn: Drawn): void {
    const { home } = this;
    home.now += MINUTE;
    const given = givenBy(drawn, home);
    if (!given) return;

    const before = latestLine(home);
    if (refusalOf(() => give(home, home, given, new Lines())) !== undefined) return;

    const id = latestLine(home);
    // Another program leaves no line, and is undone by none.
    if (given.do === 'foreign')
      this.lines.push({ id: NO_LINE, now: home.now, given, read: [] });
    else if (id > before)
      this.lines.push({ id, now: home.now, given, read: readBy(home, id, given) });
  }

  /** @returns why it is refused, or the journal without the line */
  undone(line: Line): string | ImportHome {
    const home = newHome();
    copyFileSync(this.home.journal, home.journal);
    home.now = this.home.now + MINUTE;
    return refusalOf(() => undoImport(home.target, line.id)) ?? home;
  }

  /** What a file took over from earlier ones stays: the account of its rows without one, as if it had been typed. */
  #tookOver(id: number, given: Given): Given {
    const [line] = this.home.rows('SELECT holder FROM imports WHERE id = ?', id);
    const holder = line?.['holder'] as string | null | undefined;
    return given.do === 'import' && holder ? { ...given, account: holder } : given;
  }

  /** @returns why it is refused, or a journal that never had the line, nor changes of its file */
  without(line: Line): string | ImportHome {
    const home = newHome();
    const ids = new Map<number, number>();
    const lines = new Lines(ids);
    for (const { id, now, given, read } of this.lines) {
      if (id === line.id || (given.do === 'change' && given.line === line.id)) continue;

      home.now = now;
      const before = latestLine(home);
      const refusal = refusalOf(() =>
        give(home, this.home, this.#tookOver(id, given), lines),
      );
      if (refusal !== undefined) return `${given.do}: ${refusal}`;

      const own = latestLine(home);
      if (own > before) ids.set(id, own);
      if (
        !isSameReading(
          read,
          own > before ? readBy(home, own, given, lines) : [],
          home,
          lines,
        )
      )
        return `${given.do}: a note is about another record`;
    }
    return home;
  }
}

function latestLine(home: ImportHome): number {
  return home.rows('SELECT coalesce(max(id), 0) AS id FROM imports')[0]?.['id'] as number;
}

/** @throws any error that isn't in words for users */
function refusalOf(act: () => unknown): string | undefined {
  try {
    act();
    return undefined;
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return error.message;
  }
}

/** The notes that a command read, a change those of the import that it changed. */
function readBy(
  home: ImportHome,
  line: number,
  given: Given,
  lines = new Lines(),
): About[] {
  if (given.do === 'edit') return saidBy(home, line);
  if (given.do !== 'import' && given.do !== 'version' && given.do !== 'change') return [];

  const read = given.do === 'change' ? lines.lineOf(given.line) : line;
  const states = `SELECT r.resource, record_id AS id FROM import_records AS r JOIN imports AS i ON i.user_id = r.user_id
    AND i.id = r.import_id WHERE i.id = ? AND i.format = 'markdown' ORDER BY 1, 2`;
  return home.rows(states, read).map((row): About => {
    const { resource, id } = row as { resource: string; id: string };
    const trade = tradeOf(home, resource, id);
    return {
      resource,
      id,
      trade: trade === undefined ? undefined : anchorOf(home, trade),
    };
  });
}

/** What an edited day states, and of which records: it depends on what was printed. */
function saidBy(home: ImportHome, line: number): About[] {
  const stated = `SELECT resource, record_id AS id, kind, fields FROM import_records
    WHERE import_id = ? AND kind <> 'foreign' ORDER BY 1, 2`;
  return home.rows(stated, line).map((row): About => {
    const { resource, id, kind, fields } = row as Record<string, string | null>;
    const { trade_id: of, ...said } = JSON.parse(fields ?? '{}') as Record<
      string,
      unknown
    >;
    const trade = of ?? tradeOf(home, resource as string, id as string);
    return {
      resource: `${kind} ${resource} ${JSON.stringify(said)}`,
      id: id as string,
      trade: trade === undefined ? undefined : anchorOf(home, trade as string),
    };
  });
}

function tradeOf(home: ImportHome, resource: string, id: string): string | undefined {
  if (resource === 'trades') return id;
  if (resource !== 'trade-journals') return undefined;
  const [entry] = home.rows('SELECT trade_id AS id FROM trade_journals WHERE id = ?', id);
  return entry?.['id'] as string | undefined;
}

function isSameReading(
  first: readonly About[],
  again: readonly About[],
  home: ImportHome,
  lines: Lines,
): boolean {
  const there = first.map(({ resource, id, trade }) =>
    trade === undefined
      ? `${resource} ${id}`
      : `${resource} of ${lines.findTrade(home, trade)}`,
  );
  const here = again.map(
    ({ resource, id, trade }) =>
      `${resource} ${trade === undefined ? id : `of ${trade.id}`}`,
  );
  return there.sort().join() === here.sort().join();
}
