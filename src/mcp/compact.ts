/**
 * A response of the API in few tokens: no nulls, money to the cent, ratios to four
 * digits, prices unchanged, local times to the minute, lists of records as tables. Texts
 * are cut and lose invisible characters; records with texts are marked as data.
 */

import { visibleText } from '../http/visible-text.ts';
import { ALL_DIMENSIONS, factsOfDimension } from '../journal/analytics/dimensions.ts';
import { looksLikeInstructions } from './suspicious.ts';

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

export type Row = Record<string, Json>;

/** A record of a list. */
export type ListedRow = Row & { id: string };

export interface Compacting {
  /** IANA zone of the shown times. */
  timeZone: string;
  /** Longest text, in characters. */
  text: number;
  /** Most rows of a table. */
  rows: number;
  /** Whether an outer record already marks the texts. */
  isMarked?: boolean;
}

interface Table extends Mark {
  /** Values that all records share. */
  in_every_row?: object;
  columns: string[];
  /** Cells in the order of the columns; "" for a missing value. */
  rows: unknown[][];
  /** Number of further records. */
  left_out?: number;
}

/** Of an object with texts of the journal, which nothing vouches for. */
interface Mark {
  text_from?: 'journal note';
  is_data?: true;
}

const MARK: Mark = { text_from: 'journal note', is_data: true };

/** Of a record with a text that looks like instructions to a model. */
const SUSPICIOUS = 'looks_like_instructions';

const RATIO_DIGITS = 4;
/** For money below 1. */
const SMALL_MONEY_DIGITS = 5;

const RATIO =
  /rate$|^win_rate|ratio|factor|(^|_)r$|r_multiple|share|adherence|sharpe|sortino|sqn|^hypothetical_r$/;
/** Facts are never rounded. */
const FACTS: ReadonlySet<string> = new Set([
  'entry_price',
  'exit_price',
  'price',
  'stop_loss',
  'take_profit',
  'planned_entry',
  'planned_stop',
  'planned_target',
  'planned_quantity',
  'strike',
  'quantity',
  'open_quantity',
  'multiplier',
  'fx_rate',
]);

/** From this number of rows on, equal values are shown once. */
const MANY_ROWS = 4;

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;
const DATE = /^\d{4}-\d\d-\d\d$/;

/**
 * Fields whose texts are ours: ids, choices, names of zones, keys of dimensions that have
 * a list or a form. Any other text may be the trader's.
 */
const OURS: ReadonlySet<string> = new Set([
  'covers',
  'counts',
  'unavailable',
  'basis',
  'rule',
  'certainty',
  'market_prices',
  'id',
  'trade_id',
  'group_id',
  'best_trade_id',
  'worst_trade_id',
  'type',
  'status',
  'outcome',
  'phase',
  'miss_type',
  'hypothetical_outcome',
  'option_type',
  'timezone',
  'daily_basis',
  'rests_on',
  'start_basis',
  'withheld',
  'currencies_left_out',
  'filters_ignored',
  'stands_out',
  'percent_of',
  'executions',
  'times',
  'ranking',
  ...ALL_DIMENSIONS.filter((name) => {
    const { keys, form } = factsOfDimension(name);
    return keys !== undefined || form !== undefined;
  }),
]);

/** Some fields of a record, in this order. */
export function pick(names: readonly string[], record: Row): Row {
  return Object.fromEntries(names.map((name) => [name, record[name] ?? null]));
}

/** Records that say nothing if this count is 0. */
const COUNTED: Readonly<Record<string, string>> = {
  unmatched: 'closes',
  stated_totals: 'differing',
};

/** @returns undefined if nothing is left */
export function compact(value: Json | undefined, how: Compacting, name = ''): unknown {
  if (value === null || value === undefined) return undefined;
  if (typeof value === 'number') return rounded(value, name);
  if (typeof value === 'string')
    return INSTANT.test(value) ? localTime(value, how.timeZone) : cut(value, how.text);
  if (typeof value !== 'object') return value;
  // Most journals have none.
  const counted = COUNTED[name];
  if (counted !== undefined && isRecord(value) && value[counted] === 0) return undefined;
  if (!Array.isArray(value)) return compactRecord(value, how);
  if (value.length === 0) return undefined;

  return value.some(isRecord)
    ? table(value.filter(isRecord), how)
    : value.slice(0, how.rows).map((item) => compact(item, how, name));
}

/** The same of a record. */
export function compactRecord(record: Row, how: Compacting): object | undefined {
  const { mark, within } = marking([record], how);
  const entries = Object.entries(record)
    .map(([name, value]) => [name, compact(value, within, name)] as const)
    .filter(([, value]) => value !== undefined);
  if (entries.length === 0) return undefined;
  const { hint, ...others } = Object.fromEntries(entries);
  const first = hint === undefined ? mark : { hint, ...mark };
  return { ...first, ...others, ...suspicion(record, how.text) };
}

/**
 * Records as a table of their non-empty columns; a nested object becomes columns of its
 * own.
 */
export function table(records: readonly Row[], how: Compacting, most = how.rows): Table {
  const flattened = records.slice(0, most).map(flat);
  const { mark, within } = marking(flattened, how);
  const rows = flattened.map(
    (row) =>
      new Map(
        Object.entries({ ...row, ...suspicion(row, how.text) }).map(([name, value]) => [
          name,
          compact(value, within, name),
        ]),
      ),
  );
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))].filter((name) =>
    rows.some((row) => row.get(name) !== undefined),
  );
  const common =
    rows.length < MANY_ROWS
      ? []
      : names.filter((name) => isCommon(rows.map((row) => row.get(name))));
  const columns = names.filter((name) => !common.includes(name));

  return {
    ...mark,
    ...(common.length > 0 && {
      in_every_row: Object.fromEntries(common.map((name) => [name, rows[0]?.get(name)])),
    }),
    columns,
    rows: rows.map((row) => columns.map((name) => row.get(name) ?? '')),
    ...(records.length > rows.length && { left_out: records.length - rows.length }),
  };
}

function isCommon(values: readonly unknown[]): boolean {
  return typeof values[0] !== 'object' && values.every((value) => value === values[0]);
}

function flat(record: Row): Row {
  const columns: Row = {};
  for (const [name, value] of Object.entries(record)) {
    if (!isRecord(value)) columns[name] = value;
    else
      for (const [inner, content] of Object.entries(value))
        columns[inner in record ? `${name}_${inner}` : inner] = content;
  }

  return columns;
}

/** The mark of the records' texts, if any; one mark covers all nested records. */
function marking(
  records: readonly Row[],
  how: Compacting,
): { mark: Mark; within: Compacting } {
  const holdsTexts = (record: Row) =>
    holdsText(record) ||
    Object.entries(record).filter(
      ([name, inner]) => !OURS.has(name) && holdsTextWithin(inner),
    ).length > 1;
  if (how.isMarked || !records.some(holdsTexts)) return { mark: {}, within: how };
  return { mark: MARK, within: { ...how, isMarked: true } };
}

/** Whether the trader may have written a text of the record itself. */
function holdsText(record: Row): boolean {
  return Object.entries(record).some(
    ([name, value]) =>
      !isOurs(name, value) && (Array.isArray(value) ? value.some(isText) : isText(value)),
  );
}

/** A hint is ours unless it quotes a label. */
function isOurs(name: string, value: Json): boolean {
  return OURS.has(name) || (name === 'hint' && !String(value).includes('"'));
}

function isText(value: Json): boolean {
  return typeof value === 'string' && !INSTANT.test(value) && !DATE.test(value);
}

/** @param length most characters of each text that the answer shows */
function suspicion(record: Row, length: number): Row {
  const isSuspicious = Object.entries(record).some(
    ([name, value]) =>
      !isOurs(name, value) &&
      [value]
        .flat()
        .some((text) => typeof text === 'string' && isInstruction(text, length)),
  );
  return isSuspicious ? { [SUSPICIOUS]: true } : {};
}

const isInstruction = (text: string, length: number) =>
  looksLikeInstructions(visibleText(text).slice(0, length));

/** The API's own data, uncut: its texts made visible, with a mark, if any. */
export function uncut(data: Row): object {
  const visible = allVisible(data);
  return {
    ...(holdsTextWithin(visible) && MARK),
    ...visible,
    ...suspicionWithin(visible),
  };
}

function holdsTextWithin(value: Json): boolean {
  if (Array.isArray(value))
    return value.some((item) => isText(item) || holdsTextWithin(item));
  return (
    isRecord(value) &&
    (holdsText(value) ||
      Object.entries(value).some(
        ([name, inner]) => !OURS.has(name) && holdsTextWithin(inner),
      ))
  );
}

function suspicionWithin(data: Row): Row {
  const isSuspicious = (value: Json): boolean => {
    if (typeof value === 'string') return looksLikeInstructions(value);
    return (
      typeof value === 'object' &&
      value !== null &&
      Object.values(value).some(isSuspicious)
    );
  };
  return isSuspicious(data) ? { [SUSPICIOUS]: true } : {};
}

/** Makes every text of a value visible and changes nothing else. */
export function allVisible<T>(value: T): T {
  if (typeof value === 'string') return visibleText(value) as T;
  if (Array.isArray(value)) return value.map(allVisible) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [name, allVisible(inner)]),
  ) as T;
}

/** A record of a response; an empty one if it is missing. */
export function rowOf(value: Json | undefined): Row {
  return value !== undefined && isRecord(value) ? value : {};
}

/** The records of a list of a response; none if it is missing. */
export function rowsOf(value: Json | undefined): Row[] {
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

function isRecord(value: Json): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/**
 * Counts and facts are unchanged; any number that isn't a known ratio is rounded as
 * money. A percentage is one: 10.94, not 0.1094.
 */
function rounded(value: number, name: string): number {
  if (name !== 'percent' && (Number.isInteger(value) || FACTS.has(name))) return value;
  if (name === 'percent') return Number((value * 100).toPrecision(RATIO_DIGITS));
  if (RATIO.test(name)) return Number(value.toPrecision(RATIO_DIGITS));
  return Math.abs(value) >= 1
    ? Number(value.toFixed(2))
    : Number(value.toPrecision(SMALL_MONEY_DIGITS));
}

function cut(text: string, length: number): string {
  const visible = visibleText(text);
  if (visible.length <= length) return visible;
  // Never in the middle of a character.
  return `${visible.slice(0, length).replace(/[\ud800-\udbff]$/, '')}…`;
}

const formats = new Map<string, Intl.DateTimeFormat>();

/** 2026-11-20 09:35: the minute in the zone. */
function localTime(instant: string, timeZone: string): string {
  let format = formats.get(timeZone);
  if (!format) {
    // Sweden writes times as ISO 8601 does.
    format = new Intl.DateTimeFormat('sv-SE', {
      timeZone,
      dateStyle: 'short',
      timeStyle: 'short',
    });
    formats.set(timeZone, format);
  }
  return format.format(new Date(instant));
}
