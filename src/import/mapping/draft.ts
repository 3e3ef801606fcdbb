/**
 * A draft of a mapping for an unknown table: each field that is needed has the column
 * of that name, or "?".
 */
import { UserError } from '../../errors.ts';
import { futureOf } from '../../journal/derivatives.ts';
import { occOption } from '../../parse/instruments.ts';
import type { DayOrder } from '../../parse/times.ts';
import { isCostCurrency, isCostName, isKindName, plainName } from './confirm/names.ts';
import * as seen from './draft/columns.ts';
import * as names from './draft/names.ts';
import { columnsRead, type Draft, OPEN, type Source } from './schema.ts';
import { delimiterBy, rawTables } from './table.ts';

type Column = seen.ColumnSeen;

export interface DraftSettings {
  timeZone?: string | undefined;
  /** The order of day and month, if the user stated it. */
  dates?: DayOrder | undefined;
}

/**
 * @param stem the file's name without folder and extension, from which the mapping is
 * named
 * @throws RowError if it is neither CSV nor a workbook; UserError if it has no table
 */
export function draftOf(bytes: Buffer, stem: string, settings: DraftSettings): Draft {
  let delimiter: Draft['delimiter'];
  const sheets = rawTables(bytes, (text) => {
    delimiter = delimiterBy(
      text,
      (cells) => cells.filter(names.isKnownName).length * 100 + cells.length,
    );
    return delimiter;
  });
  const columns = seen.tableSeen(sheets);
  if (columns) return new Drafting(columns).draft(nameFrom(stem), delimiter, settings);

  throw new UserError(
    'no table in this file; it needs a header with column names and rows below it',
  );
}

const MOST_VALUES = 3;
const MOST_WORDS = 20;
const LONGEST_VALUE = 60;

class Drafting {
  readonly #columns: readonly Column[];
  readonly #fields: Record<string, Source> = {};
  /** Whether words of rows may mean that they are no trade. */
  #differs = false;

  constructor(columns: readonly Column[]) {
    this.#columns = columns.filter(({ cells }) => cells.length > 0);
  }

  draft(
    name: string,
    delimiter: Draft['delimiter'],
    { timeZone, dates: typed }: DraftSettings,
  ): Draft {
    const target = this.#target();
    if (target !== OPEN) this.#putRow(target);
    const isUsed = (column: Column) =>
      columnsRead({ fields: this.#fields }).includes(column.name);
    for (const column of this.#columns.filter(isKind))
      this.#differs ||= !isUsed(column) && !allCount(column);

    const dated = this.#columns.filter(
      (column) => isUsed(column) && seen.isDated(column, true) && !seen.isClock(column),
    );
    const numbers = this.#columns.filter(
      (column) => seen.isNumeric(column) && !dated.includes(column),
    );
    const decimal = seen.decimalSeen(numbers);

    return {
      name,
      columns: Object.fromEntries(
        this.#columns.map((column) => [column.name, shown(column)]),
      ),
      target,
      delimiter: delimiter === ',' ? undefined : delimiter,
      decimal: decimal === '.' ? undefined : decimal,
      thousands: seen.thousandsSeen(numbers),
      dates: seen.datesSeen(dated, typed),
      zone:
        timeZone ??
        names.zoneIn(this.#columns.filter(isUsed).map((column) => column.name)),
      fields: this.#fields,
      skip: this.#differs && target !== OPEN ? OPEN : undefined,
    };
  }

  /** Closed trades have two prices. Of a purchase and a sale, either may be the entry. */
  #target(): 'trades' | 'fills' | typeof OPEN {
    const count = (...meanings: names.Meaning[]) =>
      meanings.flatMap((meaning) => this.#named(meaning, seen.isNumeric)).length;
    if (
      count('entry_price', 'buy_price') === 1 &&
      count('exit_price', 'sell_price') === 1
    )
      return 'trades';

    const isEnd = (['opened_at', 'closed_at'] as const).some(
      (column) => this.#named(column, seen.isDated).length > 0,
    );
    if (isEnd || count('entry_price', 'exit_price') > 0 || count('price') > 1)
      return OPEN;

    const isFill = count('price', 'executed_price', 'quantity', 'executed_quantity') > 0;
    return isFill || (count('bought') > 0 && count('sold') > 0) ? 'fills' : OPEN;
  }

  #putRow(target: 'trades' | 'fills'): void {
    this.#putInstrument();
    if (target === 'fills') {
      this.#putTime('executed_at', 'executed_at', 'moment');
      this.#putQuantity();
      this.#put('price', this.#figure('price'));
      this.#putSide('side');
    } else {
      this.#putTime('executed_at', 'opened_at');
      this.#putTime('closed_at', 'closed_at');
      this.#put('quantity', this.#figure('quantity'));
      for (const field of ['entry_price', 'exit_price'] as const)
        this.#put(field, this.#named(field, seen.isNumeric)[0]);
      this.#putSide('position');
      this.#putIfNamed(['gross_pnl', 'net_pnl'], seen.isNumeric);
      const isStated = 'gross_pnl' in this.#fields || 'net_pnl' in this.#fields;
      if (!isStated && this.#named('pnl', seen.isNumeric).length > 0)
        this.#fields['gross_pnl'] = OPEN;
    }

    this.#putFees();
  }

  #putInstrument(): void {
    const place = ({ name }: Column) => names.placeOfName(name, 'symbol');
    const [symbol] = this.#named('symbol', seen.hasLetters).toSorted(
      (a, b) => place(a) - place(b),
    );
    this.#put('symbol', symbol);
    this.#putIfNamed(['underlying', 'account']);
    this.#putIfNamed(['strike', 'multiplier'], seen.isNumeric);
    this.#putIfNamed(['expiration'], seen.isDated);

    const kinds = this.#named('option_type');
    if (kinds.length > 0)
      this.#fields['option_type'] = words(only(kinds), 'option_type') ?? OPEN;

    const every = (test: (text: string) => boolean) => symbol?.cells.every(test) === true;
    const isFuture = every((text) => (futureOf(text)?.month ?? null) !== null);
    const isOption = every((text) => occOption(text) !== undefined);
    const market = isFuture ? 'future' : 'option';
    const formed = isFuture || isOption ? { value: market } : OPEN;
    this.#fields['market'] = words(only(this.#named('market')), 'market') ?? formed;

    const currency = only(this.#named('currency'));
    if (!isFuture)
      this.#put('currency', currency && seen.isCode(currency) ? currency : undefined);
  }

  /** @param plain names that say less: used only if no other column has days */
  #putTime(field: string, exact: names.Meaning, plain?: names.Meaning): void {
    const isDay = (column: Column) =>
      seen.isDated(column, true) && !names.isOtherDay(column.name);
    const found = this.#named(exact, isDay);
    const rest = plain && found.length === 0 ? this.#named(plain, isDay) : [];
    const others = this.#columns.filter(
      (column) => seen.isDated(column) && isDay(column) && !rest.includes(column),
    );
    const day = only(found) ?? (others.length === 0 ? only(rest) : undefined);
    const isWhole = day !== undefined && seen.hasClock(day);
    this.#put(field, isWhole || !others.some(seen.hasClock) ? day : undefined);
    if (isWhole || this.#fields[field] === OPEN) return;

    const clocks = this.#columns.filter((column) => seen.isClock(column));
    const fitting = plain
      ? clocks
      : clocks.filter((column) => names.placeOfName(column.name, exact) !== -1);
    const clock = only(fitting);
    if (clock && day) this.#fields[field] = { column: [day.name, clock.name] };
    else if (fitting.length > 0) this.#fields[field] = OPEN;
  }

  #putQuantity(): void {
    const [bought, sold] = [
      only(this.#named('bought', seen.isNumeric)),
      only(this.#named('sold', seen.isNumeric)),
    ];
    const quantity = this.#figure('quantity');
    this.#put('quantity', quantity);
    if (quantity || !bought || !sold) return;

    const isEither = bought.all.every(
      (cell, row) => !/[1-9]/.test(cell) || !/[1-9]/.test(sold.all[row] ?? ''),
    );
    if (isEither) this.#fields['quantity'] = { bought: bought.name, sold: sold.name };
  }

  /** The only column of a figure; next to another of its kind, its name must say more. */
  #figure(meaning: 'price' | 'quantity'): Column | undefined {
    const exact = only(this.#named(`executed_${meaning}`, seen.isNumeric));
    if (exact) return exact;

    const kin = (column: Column) =>
      names.isKin(column.name, meaning) && !isCostName(column.name);
    const found = this.#named(meaning, seen.isNumeric);
    const others = this.#columns.filter(
      (column) => seen.isNumeric(column) && kin(column) && !found.includes(column),
    );

    return others.length === 0 ? only(found) : undefined;
  }

  /** Without words, a quantity with either sign states the side. */
  #putSide(kind: 'side' | 'position'): void {
    const columns = this.#columns.filter(({ name }) => names.isSideName(name));
    const isKnown = (cell: string) => names.meaningOf(kind, cell) !== undefined;
    const side = only(columns.filter(({ cells }) => cells.some(isKnown)));
    const quantity = this.#fields['quantity'];

    if (side) {
      this.#fields['side'] = words(side, kind, true) ?? OPEN;
      this.#putEffect(side);
      this.#differs ||= !side.all.every(isKnown);
    } else if (typeof quantity === 'string') {
      const column = this.#columns.find(({ name }) => name === quantity);
      const isSigned = column?.cells.some(seen.isBelowZero) === true;
      const hasOther = columns.some((other) => !isKind(other) && !seen.isNumeric(other));
      if (!isSigned || hasOther) this.#fields['side'] = OPEN;
    }
  }

  /** Sell Short opens, Buy To Cover closes. */
  #putEffect({ name, cells }: Column): void {
    const effects = [...new Set(cells)].flatMap((word): [string, string | null][] => {
      const meaning = names.meaningOf('side', word);
      if (!meaning) return [];
      const [, effect = null] = meaning.split(' ');
      return [[word, effect]];
    });
    if (!effects.some(([, effect]) => effect)) return;

    this.#fields['effect'] = { column: name, words: Object.fromEntries(effects) };
  }

  /**
   * Costs are never left out: more than one column of them, or either sign, is a
   * question.
   */
  #putFees(): void {
    const costs = this.#columns.filter(
      ({ name, cells }) => isCostName(name) && /\d/.test(cells.join('')),
    );
    if (costs.length === 0) return;

    const fees = only(costs);
    const written = fees?.cells.filter((cell) => /[1-9]/.test(cell)) ?? [];
    const below = written.filter(seen.isBelowZero).length;
    const hasOneSign = below === 0 || below === written.length;
    const isPlain = hasOneSign && written.every((cell) => !/\p{L}|%/u.test(cell));
    if (!fees || !seen.isNumeric(fees) || names.isUnclearCost(fees.name) || !isPlain) {
      this.#fields['fees'] = OPEN;
      return;
    }

    this.#fields['fees'] = below > 0 ? { column: fees.name, sign: 'negate' } : fees.name;
    const currencies = this.#columns.filter((column) => isCostCurrency(column.name));
    const code = names.currencyIn(fees.name);
    if (currencies.length > 0)
      this.#put('fee_currency', only(currencies.filter(seen.isCode)));
    else if (code !== undefined) this.#fields['fee_currency'] = { value: code };
  }

  #named(
    meaning: names.Meaning,
    test: (column: Column) => boolean = () => true,
  ): Column[] {
    return this.#columns.filter(
      (column) => names.placeOfName(column.name, meaning) !== -1 && test(column),
    );
  }

  #put(field: string, column: Column | undefined): void {
    this.#fields[field] = column?.name ?? OPEN;
  }

  #putIfNamed(
    fields: readonly names.Meaning[],
    test?: (column: Column) => boolean,
  ): void {
    for (const field of fields) {
      const found = this.#named(field, test);
      if (found.length > 0) this.#put(field, only(found));
    }
  }
}

function isKind(column: Column): boolean {
  return isKindName(column.name) && !seen.isNumeric(column) && !seen.isDated(column);
}

function allCount({ all }: Column): boolean {
  return all.every(
    (word) => names.meaningOf('counts', word) ?? names.meaningOf('side', word),
  );
}

/** Meanings of words; undefined if one is unknown, unless some may be. */
function words(
  column: Column | undefined,
  kind: Parameters<typeof names.meaningOf>[0],
  some = false,
): Source | undefined {
  const all = [...new Set(column?.cells)].map(
    (word) => [word, names.meaningOf(kind, word)?.split(' ')[0]] as const,
  );
  const known = all.filter(([, meaning]) => meaning !== undefined);
  if (!column || known.length === 0 || (known.length < all.length && !some))
    return undefined;
  return {
    column: column.name,
    words: Object.fromEntries(known) as Record<string, string>,
  };
}

/** The words of a column that tells rows apart, with counts; else its first values. */
function shown(column: Column): string[] | Record<string, number> {
  const counts = seen.wordsOf(column);
  if (isKind(column) && Object.keys(counts).length <= MOST_WORDS) return counts;
  const values = [...new Set(column.cells)].slice(0, MOST_VALUES);
  return values.map((value) => value.slice(0, LONGEST_VALUE));
}

function only<T>(items: readonly T[]): T | undefined {
  return items.length === 1 ? items[0] : undefined;
}

function nameFrom(stem: string): string {
  const plain = plainName(stem)
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-+/, '');
  return plain.slice(0, 20).replace(/-$/, '') || 'own';
}
