/** The labels in use: accounts, symbols, setups, tags and other values of filters. */

import * as z from 'zod';
import type { Scope } from '../keys/scopes.ts';
import { foldCase, STILL_WANTED } from '../sqlite/functions.ts';
import { NUMBER, type Reader, type Row, TEXT } from '../sqlite/reader.ts';
import { ZoneClock } from '../time.ts';
import * as f from './fields.ts';
import type { User } from './journal.ts';
import { orderOf, walkList } from './list-walk.ts';
import { remembered } from './once.ts';
import type { ListResource } from './resource.ts';
import { journalRows, sessions, weeklyReviews } from './resources/journals.ts';
import { tradeGroups, trades } from './resources/trades.ts';
import {
  ifSmall,
  isSmall,
  RECORD_BYTES,
  type ResponseTooLarge,
  responseTooLarge,
} from './response-size.ts';
import { parseStored, storedInstant, storedList } from './stored-value.ts';
import { validFields } from './trader-fields.ts';
import type { Range } from './where.ts';

// Counts the uses of labels. Labels that differ only in letter case count as one, shown
// in the most frequent spelling.

interface Label {
  count: number;
  /** Its first occurrence. */
  first: string;
  spellings: Spelling[];
}

interface Spelling {
  text: string;
  count: number;
  label: Label;
}

interface CountedLabel {
  value: string;
  count: number;
  first: string;
}

export class LabelCount {
  readonly #spellings = new Map<string, Spelling>();
  readonly #labels = new Map<string, Label>();

  /**
   * Counts the labels of one record, each once: of several spellings the least by code
   * units, whatever their order.
   * @param at kept for the first record with a label
   */
  add(labels: readonly unknown[], at: string): void {
    const counted: Label[] = [];
    for (const text of labels.length < 2 ? labels : [...labels].sort()) {
      if (typeof text !== 'string' || text === '') continue;
      const spelling = this.#spellingOf(text, at);
      const { label } = spelling;
      if (counted.includes(label)) continue;
      counted.push(label);
      spelling.count++;
      label.count++;
    }
  }

  has(text: string): boolean {
    return this.#labels.has(foldCase(text));
  }

  /** The most used labels, up to a maximum; ties by code units. */
  mostUsed(most: number): CountedLabel[] {
    const counted = Array.from(this.#labels.values(), ({ spellings, count, first }) => ({
      value: mostUsed(spellings).text,
      count,
      first,
    }));
    return counted.sort(byUse).slice(0, most);
  }

  #spellingOf(text: string, at: string): Spelling {
    const known = this.#spellings.get(text);
    if (known) return known;

    const fold = foldCase(text);
    let label = this.#labels.get(fold);
    if (!label) {
      label = { count: 0, first: at, spellings: [] };
      this.#labels.set(fold, label);
    }

    const spelling = { text, count: 0, label };
    label.spellings.push(spelling);
    this.#spellings.set(text, spelling);

    return spelling;
  }
}

function byUse(a: CountedLabel, b: CountedLabel): number {
  return b.count - a.count || (a.value < b.value ? -1 : 1);
}

function mostUsed(spellings: readonly Spelling[]): Spelling {
  return spellings.reduce((best, one) =>
    one.count > best.count || (one.count === best.count && one.text < best.text)
      ? one
      : best,
  );
}

export const MAX_LABELS = 200;

const label = (counted: string) =>
  f.item({
    value: f.label('The label, in its most frequent spelling'),
    count: f.count(`Number of ${counted} with it`),
    last_used: f.date(`Day of the last of these ${counted}`),
  });

const ofTrades = (what: string) =>
  z
    .array(label('trades'))
    .meta({ description: `${what}, most used first, at most ${MAX_LABELS}` });
const ofEntries = (what: string) =>
  z
    .array(label('journal entries'))
    .nullable()
    .meta({
      description: `${what}, most used first, at most ${MAX_LABELS}; null without the scope journals:read`,
    });

export const labelsRecord = f.record(() => ({
  accounts: ofTrades('Accounts'),
  symbols: ofTrades('Symbols'),
  underlyings: ofTrades('Underlyings, and symbols of trades without one'),
  setups: ofTrades('Setups'),
  tags: ofTrades('Tags of trades'),
  mistakes: ofTrades('Mistakes of trades, including those of their journal entries'),
  emotions: ofEntries('Emotions'),
  rules: ofEntries('Rules'),
  fields: f.revealing(
    'text',
    f.list(
      label('records'),
      `Names of fields of the trader's own, of trades and trade groups, with the scope sessions:read of sessions and with reviews:read of weekly reviews, most used first, at most ${MAX_LABELS}: group_by=field:NAME groups by one`,
    ),
  ),
  withheld: z.array(z.enum(SCOPES)).optional().meta({
    description: 'Missing scopes that would show more; absent if nothing is withheld',
  }),
}));

/** Scopes that show more labels. */
const SCOPES = ['journals:read', 'sessions:read', 'reviews:read'] as const;

type Labels = z.infer<typeof labelsRecord>;

/** The columns with labels of a list, and their octets. */
interface Source {
  resource: ListResource;
  /** @param most octets of a record: more end the statement with an error */
  columns: (most: number) => string;
  /** Octets of the row itself, measured before it is read. */
  ofRow: string;
  /** Octets including those that the columns measure. */
  octets: string;
  /** By default, all. */
  range?: Range;
  filters?: Readonly<Record<string, string>>;
}

/** The entries of a trade with mistakes, found without reading long ones. */
const notedIn = (
  j: string,
) => `FROM trade_journals AS ${j} WHERE ${j}.user_id = t.user_id AND ${j}.trade_id = t.id
  AND (octet_length(${j}.mistakes) <> 2 OR ${j}.mistakes <> '[]')`;

const NOTED_OCTETS = 'total(octet_length(j.mistakes))';

const OF_TRADE = `octet_length(t.tags) + octet_length(t.mistakes) + coalesce(octet_length(t.setup), 0)
  + coalesce(octet_length(t.account), 0) + coalesce(octet_length(t.underlying), 0)`;

const TRADES: Source = {
  resource: trades,
  // Most trades have no such entry: measuring and reading them in two lookups each would
  // take a fifth more time.
  columns: (
    most,
  ) => `account, symbol, coalesce(underlying, symbol) AS underlying, setup, tags, mistakes, executed_at AS at,
    (SELECT CASE WHEN count(*) = 0 THEN '[]' WHEN ${isSmall(`${OF_TRADE} + ${NOTED_OCTETS}`, String(most))}
      THEN (SELECT json_group_array(json(k.mistakes)) ${notedIn('k')}) END ${notedIn('j')}) AS noted`,
  ofRow: OF_TRADE,
  octets: `${OF_TRADE} + (SELECT ${NOTED_OCTETS} ${notedIn('j')})`,
};

const OF_ENTRY = 'octet_length(emotions) + octet_length(rules)';

const ENTRIES: Source = {
  resource: journalRows,
  columns: () => 'emotions, rules, created_at AS at',
  ofRow: OF_ENTRY,
  octets: OF_ENTRY,
};

/** The resources with fields that the trader names, and the time of a record. */
const NAMING: readonly (readonly [ListResource, at: string])[] = [
  [trades, 'executed_at'],
  [tradeGroups, 'opened_at'],
  [sessions, 'date'],
  [weeklyReviews, 'period_start'],
];

/** Names of fields in the records that the scopes show. */
class NameCount {
  readonly #names = new Map<string, { count: number; last: string }>();

  /** @param day of the record */
  add(fields: object, day: string): void {
    for (const name of Object.keys(fields)) {
      const { count, last } = this.#names.get(name) ?? { count: 0, last: '' };
      this.#names.set(name, { count: count + 1, last: day > last ? day : last });
    }
  }

  mostUsed(most: number): Labels['fields'] {
    const all = [...this.#names].map(([value, { count, last }]) => ({
      value,
      count,
      last_used: last,
    }));
    const byUse = (a: (typeof all)[number], b: (typeof all)[number]) =>
      b.count - a.count || (a.value < b.value ? -1 : 1);
    return all.sort(byUse).slice(0, most);
  }
}

/**
 * The names of fields that the trader named.
 * @param scopes without the one of a resource, its names are left out
 */
export function namesOf(
  reader: Reader,
  user: User,
  scopes: readonly Scope[],
  most: number,
): Labels['fields'] {
  const clock = new ZoneClock(user.timezone);
  const fieldsIn = remembered((json) => validFields(parseStored(json)));
  const count = new NameCount();

  for (const [resource, at] of NAMING) {
    const isOfTrades = resource.scope === 'trades:read';
    if (!isOfTrades && !scopes.includes(resource.scope)) continue;

    const octets = 'octet_length(fields)';
    const source = {
      resource,
      columns: () => `fields, ${at} AS at`,
      ofRow: octets,
      octets,
    };
    visitLabels(reader, user, source, ({ fields, at: time }) => {
      if (fields === '{}') return;
      const day = isOfTrades ? clock.dateOf(storedInstant(time)) : (time as string);
      count.add(fieldsIn(fields as string), day);
    });
  }

  return count.mostUsed(most);
}

/**
 * Counts the labels of all trades and journal entries.
 * @param scopes of the key
 * @param most maximum labels of each kind
 * @throws ResponseTooLarge for a record with labels that exceed a response
 */
export function labelsOf(
  reader: Reader,
  user: User,
  scopes: readonly Scope[],
  most = MAX_LABELS,
): Labels {
  const mayReadJournals = scopes.includes('journals:read');
  const clock = new ZoneClock(user.timezone);
  const counts = (names: readonly string[]) =>
    names.map((name) => [name, new LabelCount()] as const);
  const ofTrades = counts([
    'accounts',
    'symbols',
    'underlyings',
    'setups',
    'tags',
    'mistakes',
  ]);
  const ofEntries = counts(['emotions', 'rules']);
  const list = remembered(storedList);
  const noted = remembered((json) => (storedList(json) as unknown[][]).flat());
  const rules = remembered((json) =>
    storedList(json).map((answer) => (answer as { rule?: unknown } | null)?.rule),
  );

  visitLabels(reader, user, TRADES, (row) => {
    const { account, symbol, underlying, setup, tags } = row;
    const mistakes = [
      ...list(row['mistakes'] as string),
      ...noted(row['noted'] as string),
    ];
    const labels = [
      [account],
      [symbol],
      [underlying],
      [setup],
      list(tags as string),
      mistakes,
    ];
    for (const [i, [, count]] of ofTrades.entries())
      count.add(labels[i] as unknown[], row['at'] as string);
  });
  if (mayReadJournals) {
    visitLabels(reader, user, ENTRIES, (row) => {
      const labels = [list(row['emotions'] as string), rules(row['rules'] as string)];
      for (const [i, [, count]] of ofEntries.entries())
        count.add(labels[i] as unknown[], row['at'] as string);
    });
  }

  const shown: [string, object[]][] = [];
  for (const [name, count] of [...ofTrades, ...(mayReadJournals ? ofEntries : [])]) {
    const labels = count.mostUsed(most);
    const dated = labels.map(({ value, count, first }) => ({
      value,
      count,
      last_used: clock.dateOf(storedInstant(first)),
    }));
    shown.push([name, dated]);
  }

  const withheld = SCOPES.filter((scope) => !scopes.includes(scope));
  return {
    ...Object.fromEntries(shown),
    ...(mayReadJournals ? {} : { emotions: null, rules: null }),
    fields: namesOf(reader, user, scopes, most),
    ...(withheld.length > 0 && { withheld }),
  } as Labels;
}

/** Newest first. */
export function visitLabels(
  reader: Reader,
  user: User,
  source: Source,
  add: (row: Row) => void,
): void {
  const {
    resource,
    columns,
    ofRow,
    range = { from: null, to: null },
    filters = {},
  } = source;
  const order = orderOf(resource, resource.orderBy, true);
  const walk = {
    userId: user.id,
    resource,
    order,
    range,
    after: null,
    criteria: { filters },
    isMeasured: true,
  };
  const isRead = ifSmall(() => {
    walkList(reader, walk, ({ where, octets }) => {
      where.add(isSmall(ofRow), octets);
      const sql = `SELECT ${columns(octets)} FROM ${resource.source} AS t WHERE ${where.sql} ORDER BY ${resource.orderBy} DESC`;
      for (const row of reader.all(sql, ...where.values)) add(row);
      return false;
    });
    return true;
  });
  if (!isRead) throw tooLarge(reader, user, source);
}

function tooLarge(
  reader: Reader,
  user: User,
  { resource, octets }: Source,
): ResponseTooLarge {
  const sql = `SELECT id, ${octets} AS octets FROM ${resource.source} AS t WHERE user_id = ${TEXT} AND ${STILL_WANTED} AND ${octets} > ${NUMBER} LIMIT 1`;
  const row = reader.only<{ id: unknown; octets: number }>(sql, user.id, RECORD_BYTES);
  return responseTooLarge(
    `the record ${row.id} of ${resource.path}`,
    row.octets,
    'shorten its labels',
  );
}
