/** A journal that imports fills, as readers return them, through the import's own steps. */
import { type UndoReport, undoImport } from '../../src/edit/undo.ts';
import { incomingFills, platformOf } from '../../src/import/fills/incoming.ts';
import { type MadeTrades, makeTrades } from '../../src/import/fills/make-trades.ts';
import { GivenMultipliers } from '../../src/import/fills/multiplier.ts';
import type { FileFill, FormatTraits } from '../../src/import/fills/reading.ts';
import { type StoredFills, storeFills } from '../../src/import/fills/store-fills.ts';
import { openForWriting } from '../../src/journal-write/open.ts';
import { newUser } from '../../src/journal-write/users.ts';
import { FillTable } from '../../src/statements/fills.ts';
import { ImportTable } from '../../src/statements/imports.ts';
import { toInstantText } from '../../src/time.ts';
import { ImportHome } from './home.ts';

interface Options {
  account?: string | undefined;
  multipliers?: ReadonlyMap<string, number>;
  format?: FormatTraits;
  allowDuplicates?: boolean;
  groups?: boolean;
}

export class FillHome extends ImportHome {
  #files = 0;

  /** @returns the changes; if it throws, nothing changes */
  take(fills: readonly FileFill[], options: Options = {}): StoredFills & MadeTrades {
    const {
      format = { name: 'x' },
      account,
      multipliers,
      groups,
      allowDuplicates = false,
    } = options;
    const now = toInstantText(this.now);
    const db = openForWriting(this.journal);
    try {
      return db
        .transaction(() => {
          const id = new ImportTable(db, 'me').add({
            imported_at: now,
            file: `file-${++this.#files}`,
            format: format.name,
            resource: 'trades',
            account: account ?? null,
          });
          const settings = { user: newUser('me', {}), timeZone: undefined, now };
          const stored = {
            fills: new FillTable(db, 'me'),
            imports: new ImportTable(db, 'me'),
          };
          const given = {
            format,
            account,
            multipliers: new GivenMultipliers(multipliers),
            platformIn: (name: string | null) =>
              stored.fills.platformIn(name, platformOf(format)),
          };
          const incoming = incomingFills(fills, given, stored.fills);
          const written = storeFills(stored, incoming, id, {
            format,
            allowDuplicates,
            zone: null,
          });
          const made = makeTrades(db, written.before, stored.fills, {
            ...settings,
            groups,
            account: undefined,
          });
          return { ...written, ...made };
        })
        .immediate();
    } finally {
      db.close();
    }
  }

  undo(id?: number): UndoReport {
    return undoImport(this.target, id);
  }

  /** All rows of all tables, sorted, without timestamps. */
  tables(): Record<string, unknown[]> {
    return this.reading((db) => {
      const names = db
        .prepare("SELECT name FROM sqlite_schema WHERE type = 'table'")
        .pluck()
        .all() as string[];
      return Object.fromEntries(
        names.map((name) => {
          const rows = db.prepare(`SELECT * FROM ${name}`).all() as Record<
            string,
            unknown
          >[];
          const timeless = rows.map(({ updated_at: _, ...row }) => JSON.stringify(row));
          return [name, timeless.sort()];
        }),
      );
    });
  }

  /** Trades and their executions, sorted. */
  trades(): unknown[] {
    const { trades, executions } = this.tables();
    const withoutStamp = (row: unknown) => ({
      ...JSON.parse(row as string),
      created_at: undefined,
    });
    return [
      ...(trades as unknown[]).map(withoutStamp),
      ...(executions as unknown[]).map((row) => JSON.parse(row as string)),
    ];
  }

  /** The same without the ids, which depend on the file that stated a row first. */
  tradesWithoutIds(): string[] {
    return (this.trades() as Record<string, unknown>[])
      .map(({ id: _, trade_id: _trade, fill_id: _fill, ...row }) => JSON.stringify(row))
      .sort();
  }
}
