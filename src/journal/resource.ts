/** What a list resource declares, and the fields and filters that several have. */
import type * as z from 'zod';
import type { Scope } from '../keys/scopes.ts';
import * as f from './fields.ts';
import { once } from './once.ts';

/** What figures count: each trade, or the legs of a trade group together. */
export const UNITS = ['trade', 'position'] as const;
export type Unit = (typeof UNITS)[number];

/**
 * Comparison of a filter: exact; with one of several ids; as a label in any letter case;
 * as a member of a list of labels; as true or false; as a number; as a field that the
 * trader named.
 */
export type Match =
  | 'exact'
  | 'ids'
  | 'label'
  | 'member'
  | 'flag'
  | 'at_least'
  | 'at_most'
  | 'named';

/** In the SQL of a filter by a field that the trader named: its place in the JSON. */
export const PATH = '@path';

export interface Filter {
  /**
   * A column of the source, or an SQL expression of its columns; for a list of labels,
   * the rows with the labels as value. The source has the alias t.
   */
  column: string;
  match: Match;
  description: string;
  /**
   * It has its own index, followed by the order of the list. Without one, the list is
   * searched record by record.
   */
  indexed?: true;
  /**
   * The record field with the values it takes, if that is an enum or an id: its
   * description and check are used. Of a number, the field that reveals as much.
   */
  like?: string;
  /** Takes a symbol or an underlying. */
  isSymbol?: true;
}

/**
 * A list resource, declared once, as data. The route, SELECT, cursor, OpenAPI entry,
 * import and contract tests are derived from it.
 */
export interface ListResource {
  /** The last part of its URL, and the name of its import files. */
  path: string;
  /** Name of one record in the API description: "Trade". */
  name: string;
  /** The name in messages: "trades", "trade journal entries". */
  title: string;
  description: string;
  scope: Scope;
  /** The table that import writes; null for a feed of other resources. */
  table: string | null;
  /** The source of reads: the table itself, or a view that adds derived fields. */
  source: string;
  /** The field of the order, newest first, and of start and end. */
  orderBy: string;
  orderKind: 'instant' | 'date';
  /** Other fields to sort by; records without a value come last. */
  sorts?: readonly string[];
  /** Other fields for start and end; each has an index with the list in its order. */
  dateFields?: readonly string[];
  /** Those without an index: the list is searched in its usual order. */
  searchedDates?: readonly string[];
  /** Tie-break of orderBy, in the same direction. */
  tieBreak: readonly string[];
  /**
   * Fields without which no line has brought a record, each or one of several: a|b. By
   * default that of the order.
   */
  needed?: readonly string[];
  /**
   * Fields that identify a record of a mapped table without ids, and stay the same if the
   * rest of it is edited. By default that of the order.
   */
  identity?: readonly string[];
  record: z.ZodObject;
  filters: Readonly<Record<string, Filter>>;
  /**
   * Fields that a page computes from others, which is cheaper than reading them: see
   * derived-trade.ts.
   */
  derivedInPages?: readonly string[];
  /** Computed from records of other resources: no file brings them. */
  isComputed?: true;
  /** Names of its records are made from their legs: see strategies.ts. */
  isNamed?: true;
  /** The unit of figures that its records are, so that it takes their conditions. */
  hasFigures?: Unit;
  /**
   * Figures computed from the trades closed on the record's day, or from its first to its
   * last day.
   */
  metrics?: { from: string; to: string };
}

/** Keeps the literal type, and checks that it is a resource. */
export function resource<const R extends ListResource>(declaration: R): R {
  return declaration;
}

// Fields and filters of several records.

export const MARKETS = [
  'stock',
  'option',
  'future',
  'forex',
  'crypto',
  'cfd',
  'other',
] as const;
export const SIDES = ['long', 'short'] as const;
export const OUTCOMES = ['win', 'loss', 'breakeven'] as const;
export type Outcome = (typeof OUTCOMES)[number];
export const STATUSES = ['open', 'closed'] as const;
const PHASES = ['pre_trade', 'during', 'post_trade', 'review'] as const;

export const market = () => f.choice(MARKETS, 'Market of the symbol');
export const side = () => f.choice(SIDES, 'Direction of the position');

export const tags = () => f.strings('Free tags');
export const mistakes = () => f.strings("Mistakes, in the trader's words");

export const stamps = once(() => ({
  created_at: f.instant('Time of creation'),
  updated_at: f.instant('Time of the last change'),
}));

export const goals = (description: string) =>
  f.revealing(
    'text',
    f.list(
      f.item({
        text: f.text('The goal'),
        met: f.orNull(f.flag('Whether it was met; null if unanswered')),
      }),
      description,
    ),
  );

/** Pictures with web addresses, and those that the journal keeps. */
export const attachments = () =>
  f.revealing(
    'text',
    f.list(
      f.item({
        url: f.pictureAddress('Address; of a kept picture, a path of this service'),
        caption: f.orNull(f.text('Caption')),
        width: f.optional(f.count('Width of a kept picture, in pixels')),
        height: f.optional(f.count('Height of a kept picture, in pixels')),
      }),
      'Screenshots and other attachments',
    ),
  );

/** Fields of journal entries about trades and groups. */
export const journalFields = once(() => ({
  phase: f.withDefault(
    f.choice(PHASES, 'Phase of the trade in which the entry was written'),
    'post_trade',
  ),
  title: f.orNull(f.text('Title')),
  body: f.orNull(f.text('Text of the entry, in Markdown')),
  went_well: f.orNull(f.text('What went well')),
  went_wrong: f.orNull(f.text('What went wrong')),
  lesson: f.orNull(f.text('The lesson')),
  emotions: f.strings("Emotions, in the trader's words"),
  confidence: f.orNull(f.rating('Confidence')),
  execution_rating: f.orNull(f.rating('Rating of the execution')),
  followed_plan: f.orNull(f.flag('Whether the plan was followed')),
  rules: f.list(
    f.item({
      rule: f.label('The rule'),
      followed: f.orNull(f.flag('Whether it was followed; null if unanswered')),
    }),
    "The trader's rules, each with an answer",
  ),
  mistakes: mistakes(),
  tags: tags(),
  attachments: attachments(),
}));

/** A filter by the value of a field. */
export const exact = <const N extends string>(name: N, description: string) =>
  ({ column: name, match: 'exact', like: name, description }) as const;

/** The filter of a list by ids. @param records in words, such as trades */
export const byIds = (records: string) =>
  ({
    column: 'id',
    match: 'ids',
    like: 'id',
    indexed: true,
    description: `Only the ${records} with these ids, separated by commas (at most 100)`,
  }) as const;

/** Filters of journal entries about trades and groups. */
export const journalFilters = {
  tag: {
    column: 'json_each(t.tags)',
    match: 'member',
    description: 'Only entries with this tag',
  },
  mistake: {
    column: 'json_each(t.mistakes)',
    match: 'member',
    description: 'Only entries with this mistake',
  },
  emotion: {
    column: 'json_each(t.emotions)',
    match: 'member',
    description: 'Only entries with this emotion',
  },
  phase: exact('phase', 'Only entries of this phase'),
  followed_plan: {
    column: 'followed_plan',
    match: 'flag',
    description:
      'true: only entries that state that the plan was followed; false: only those that state that it was not',
  },
} as const satisfies ListResource['filters'];

/** The figures of a session or a weekly review. */
export const metrics = (description: string) =>
  f.derived(
    f.object(
      {
        trades: f.count('Trades closed in the period'),
        trades_entered: f.count('Trades entered in the period, open ones included'),
        net_pnl: f.money("Net P&L of those trades, in the user's base currency"),
        realised_pnl: f.money(
          'P&L after fees of all exits in the period, of closed and of open trades, in the base currency',
        ),
        win_rate: f.orNull(f.ratio('Wins over all trades, 0 to 1; null without trades')),
        total_r: f.orNull(f.ratio('Sum of R multiples; null if no trade has a risk')),
        max_drawdown: f.orNull(
          f.money(
            "Largest fall from the running peak of the period's net P&L, trade by trade, in the base currency; null if none",
          ),
        ),
      },
      description,
    ),
  );
