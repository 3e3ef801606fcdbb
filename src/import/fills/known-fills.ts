/**
 * The fills of a journal that may be rows of a file, and the rows of a file, as they are
 * compared.
 */

import { DayStarts } from '../../journal/days.ts';
import { type Fill, PART } from '../../statements/fill-row.ts';
import type {
  FillTable,
  FillWithStatements,
  StoredFill,
} from '../../statements/fills.ts';
import {
  type FileRow,
  type Row,
  type RowDigits,
  type StoredRow,
  unpacked,
  withDigitsOf,
} from './identity/compared-rows.ts';
import { matchRows } from './identity/same-rows.ts';
import { platformIdOf, Spellings } from './identity.ts';
import type { IncomingFill } from './incoming.ts';
import type { FormatTraits } from './reading.ts';

/** A fill of the journal as a row. */
interface StoredFillRow extends StoredRow {
  fill: StoredFill;
}

/** A fill of a file as a row. */
interface IncomingRow extends FileRow {
  incoming: IncomingFill;
}

/** A fill that the journal has. */
export interface KnownRow {
  fill: StoredFill;
  statements: readonly { importId: number }[];
  /** Whether no file names its account, so that a file that names another is right. */
  isInferred: boolean;
}

interface RowMatch {
  incoming: IncomingFill;
  /** Undefined: the journal doesn't have it. */
  stored: KnownRow | undefined;
}

/** Whether a file has more digits than the journal. */
export type Finer = Record<keyof RowDigits, boolean>;

export interface MatchedFills {
  /** The account of rows of which the file names none, if one holds some of them. */
  holder: string | null;
  rows: RowMatch[];
  /** Digits of the file in the symbol of a fill. */
  digitsOf: (fill: Pick<Fill, 'symbol'>) => RowDigits | undefined;
  /** Compares the digits of the file with those of a stored row. */
  finer: (incoming: IncomingFill, stored: KnownRow) => Finer;
  notes: string[];
}

interface Settings {
  format: FormatTraits;
  allowDuplicates: boolean;
  /** The zone in which the file's times without one were read. */
  zone: string | null;
}

/**
 * Formats whose rows are compared: those of all mappings are, since a mapping's name
 * isn't part of a row.
 */
export function familyOf(format: string): string {
  return format.startsWith('map:') ? 'map:' : format;
}

/**
 * Finds the fills of a file in the journal.
 * @throws RowError, UserError as matchRows()
 */
export function matchedFills(
  incoming: readonly IncomingFill[],
  table: FillTable,
  { format, allowDuplicates, zone }: Settings,
): MatchedFills {
  const spellings = new Spellings(table, format.name);
  const stated = statedFills(incoming, table, format, spellings);
  if (stated.length === 0) return allNew(incoming, spellings);

  const same = sameIds(incoming, stated);
  const keys = new RowKeys(spellings);
  const rows = incoming.flatMap((fill) =>
    same.has(fill) ? [] : [incomingRow(fill, keys)],
  );
  const days = incoming.some(({ fill }) => !fill.has_time) ? new StoredDays() : undefined;
  const taken = new Set(same.values());
  const stored = stated.flatMap((fill) =>
    taken.has(fill) ? [] : [storedRow(fill, keys, days)],
  );

  const digits = digitsOfFills(incoming, spellings);
  const digitsOf = ({ symbol }: Pick<Fill, 'symbol'>) =>
    digits.get(spellings.keyOf(symbol));
  const matches = matchRows(rows, stored, {
    noun: 'fill',
    hasUniqueIds: format.hasUniqueIds === true,
    hasMadeIds: format.hasMadeIds === true,
    allowDuplicates,
    zone,
    known: same.size,
    digits,
  });
  const { holder, storedDigits, notes } = matches;
  const found = new Map(rows.map((row) => [row.incoming, matches.stored.get(row)]));

  return {
    holder,
    rows: incoming.map((fill) => ({
      incoming: fill,
      stored: knownAs(same.get(fill)) ?? found.get(fill),
    })),
    digitsOf,
    finer: ({ fill }, known) =>
      finerDigits(digitsOf(fill), storedDigits.get(known as StoredFillRow)),
    notes,
  };
}

/** Facts of a fill that is the same row under the same id. */
const SAME = [
  'executed_at',
  'has_time',
  'side',
  'quantity',
  'price',
  'kind',
  'part',
] as const;

/**
 * Rows that the journal has as they are, id and all: most of a file that grows. Equal
 * rows are counted elsewhere.
 */
function sameIds(
  incoming: readonly IncomingFill[],
  stated: readonly FillWithStatements[],
): Map<IncomingFill, FillWithStatements> {
  const byId = new Map(stated.map((known) => [known.fill.id, known]));
  const ids = new Set(incoming.map(({ fill }) => fill.id));
  const same = new Map<IncomingFill, FillWithStatements>();

  for (const row of incoming) {
    const { fill } = row;
    const known = byId.get(fill.id);
    if (!known || !isSameName(known.fill.account, fill.account)) continue;
    const isRepeated =
      row.platformId === null && [ids, byId].some((all) => all.has(`${fill.id}.2`));
    if (isRepeated || /\.\d+$/.test(fill.id)) continue;
    if (SAME.every((name) => known.fill[name] === fill[name])) same.set(row, known);
  }

  return same;
}

function isSameName(a: string | null, b: string | null): boolean {
  return a === b || (a !== null && b !== null && a.toLowerCase() === b.toLowerCase());
}

function knownAs(stated: FillWithStatements | undefined): KnownRow | undefined {
  return stated && { ...stated, isInferred: false };
}

/** The journal has no fills that may be the same: nothing is compared. */
function allNew(incoming: readonly IncomingFill[], spellings: Spellings): MatchedFills {
  const digits = digitsOfFills(incoming, spellings);
  return {
    holder: null,
    rows: incoming.map((fill) => ({ incoming: fill, stored: undefined })),
    digitsOf: ({ symbol }) => digits.get(spellings.keyOf(symbol)),
    finer: () => finerDigits(),
    notes: [],
  };
}

/** The digits of a file, by instrument. */
function digitsOfFills(
  incoming: readonly IncomingFill[],
  spellings: Spellings,
): Map<string, RowDigits> {
  const digits = new Map<string, RowDigits>();
  for (const { fill } of incoming) {
    const key = spellings.keyOf(fill.symbol);
    digits.set(key, withDigitsOf(fill, digits.get(key)));
  }
  return digits;
}

const NO_DIGITS: RowDigits = { time: 0, price: 0, quantity: 0 };

function finerDigits(file = NO_DIGITS, stored = NO_DIGITS): Finer {
  return {
    time: file.time > stored.time,
    price: file.price > stored.price,
    quantity: file.quantity > stored.quantity,
  };
}

function incomingRow(incoming: IncomingFill, keys: RowKeys): IncomingRow {
  const { line, fill, platformId, clock } = incoming;
  const {
    symbol,
    account,
    executed_at: instant,
    has_time: hasTime,
    price,
    quantity,
  } = fill;
  return {
    ...keys.of(fill),
    incoming,
    line,
    symbol,
    account,
    id: platformId,
    ends: [{ instant, clock, hasTime, price }],
    quantity,
  };
}

type KeyFields = Pick<Fill, 'symbol' | 'kind' | 'side' | 'part'>;

type RowKey = Pick<Row, 'key' | 'facts' | 'instrument'>;

/** The keys of rows, each once in memory: many rows have the same. */
class RowKeys {
  readonly #spellings: Spellings;
  readonly #bySymbol = new Map<string, Map<string, RowKey>>();

  constructor(spellings: Spellings) {
    this.#spellings = spellings;
  }

  of({ symbol, kind, side, part }: KeyFields): RowKey {
    let bySide = this.#bySymbol.get(symbol);
    if (!bySide) {
      bySide = new Map();
      this.#bySymbol.set(symbol, bySide);
    }

    const name = `${kind} ${side}${part === PART.cancels ? ' cancels' : ''}`;
    let key = bySide.get(name);
    if (!key) {
      const instrument = this.#spellings.keyOf(symbol);
      key = { key: `${instrument} ${name}`, facts: { kind, side }, instrument };
      bySide.set(name, key);
    }

    return key;
  }
}

const DAY = 86_400_000;

/** Days around a file in which its rows may be stored: zones are up to 26 hours apart. */
const MARGIN = 2 * DAY;

/** The fills of the journal that a file may state, with what each file wrote of them. */
function statedFills(
  incoming: readonly IncomingFill[],
  table: FillTable,
  format: FormatTraits,
  spellings: Spellings,
): FillWithStatements[] {
  // An account's fills may have joined those of another platform.
  const platforms = table.platforms();
  if (platforms.length === 0) return [];

  const family = familyOf(format.name);
  const found: FillWithStatements[] = [];
  for (const group of Map.groupBy(incoming, ({ fill }) =>
    spellings.keyOf(fill.symbol),
  ).values()) {
    const [{ fill: first }] = group;
    const span = spanOf(group);
    const symbols = platforms.flatMap((platform) =>
      spellings.of(platform, first.symbol).map((symbol) => ({ platform, symbol })),
    );
    for (const symbol of symbols) {
      for (const stored of table.ofSpan({ ...symbol, ...span })) {
        if (familyOf(stored.fill.format) === family) found.push(stored);
      }
    }
  }

  return found;
}

function spanOf(incoming: readonly IncomingFill[]): { from: string; to: string } {
  let [from, to] = ['9999', ''];
  for (const { fill } of incoming) {
    const at = fill.executed_at;
    if (at < from) from = at;
    if (at > to) to = at;
  }
  return { from: moved(from, -MARGIN), to: moved(to, MARGIN) };
}

function moved(instant: string, milliseconds: number): string {
  const at = new Date(Date.parse(instant) + milliseconds);
  return Number.isNaN(at.getTime()) ? instant : at.toISOString();
}

/** Days that earlier versions kept as the times at which they start. */
class StoredDays {
  readonly #byZone = new Map<string, DayStarts>();

  has({ fill, statements }: FillWithStatements): boolean {
    if (!fill.has_time || statements.some(({ clock }) => clock !== null)) return false;
    return statements.some(
      ({ zone }) => this.#of(zone ?? 'UTC').dayFrom(fill.executed_at) !== undefined,
    );
  }

  #of(zone: string): DayStarts {
    const known = this.#byZone.get(zone);
    if (known) return known;
    const starts = new DayStarts(zone);
    this.#byZone.set(zone, starts);
    return starts;
  }
}

/** @param days if the file has rows without a time */
function storedRow(
  stated: FillWithStatements,
  keys: RowKeys,
  days: StoredDays | undefined,
): StoredFillRow {
  const { fill, statements } = stated;
  const { id, symbol, account, executed_at: instant, price, quantity } = fill;
  const hasTime = fill.has_time && days?.has(stated) !== true;
  const clock = statements.find((statement) => statement.clock !== null)?.clock ?? null;

  return {
    ...keys.of(fill),
    fill,
    storedId: id,
    isInferred: statements.every((statement) => statement.account === ''),
    symbol,
    account,
    id: platformIdOf(id),
    ends: [{ instant, clock, hasTime, price }],
    quantity,
    statements: statements.map((statement) => ({
      importId: statement.importId,
      zone: statement.zone,
      clocks: statement.clock === null ? null : [statement.clock],
      digits: statement.digits === null ? undefined : unpacked(statement.digits),
      id: statement.identity,
    })),
  };
}
