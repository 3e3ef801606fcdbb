/**
 * The filters in the address, named as in the API; all views keep them. The list of
 * trades takes the plain ones, figures take conditions on dimensions, too.
 */
import { type Formats, word } from './format.ts';
import { hrefOf } from './router.ts';
import type { GroupSide, Key, TradeFilter } from './types.ts';

type PlaceQuery = Readonly<Record<string, string | undefined>>;
type Changed = Record<string, string | undefined>;
/** A key of a dimension that trades must have, or must not have. */
export interface Filter {
  dimension: string;
  key: Key;
  isWithout: boolean;
}

type Clause = Record<string, Key[]>;

/** Filters of the list of trades as well as of figures; each takes one value. */
const PLAIN: readonly string[] = [
  'account',
  'setup',
  'tag',
  'mistake',
  'symbol',
  'underlying',
  'side',
  'market',
] satisfies TradeFilter[];

/** The API's limit for a condition. */
export const MOST_CLAUSES = 5;

export const FIGURES_ONLY = ['where', 'exclude', 'unit'];

interface DimensionFacts {
  name: string;
  /** The list of labels with its keys. */
  labels?: string;
  /** Suffixes of a label in its keys. */
  endings?: readonly string[];
  /** All its keys. */
  keys?: readonly Key[];
  /** All its keys as shown. */
  names?: Readonly<Record<string, string>>;
  /** The key of trades without one, as shown: the last of its keys. */
  none?: string;
}

/** Sides of groups, which no single trade has. */
export const GROUP_SIDES: readonly Key[] = ['credit', 'debit'] satisfies GroupSide[];

/**
 * The dimensions on offer, each with the source of its keys: a list of labels, or all
 * keys.
 */
export const DIMENSIONS: Readonly<Record<string, DimensionFacts>> = {
  setup: { name: 'Setup', labels: 'setups' },
  tag: { name: 'Tag', labels: 'tags' },
  mistake: { name: 'Mistake', labels: 'mistakes' },
  account: { name: 'Account', labels: 'accounts' },
  underlying: { name: 'Underlying', labels: 'underlyings' },
  symbol: { name: 'Symbol', labels: 'symbols' },
  side: { name: 'Side', keys: ['long', 'short', ...GROUP_SIDES] },
  market: {
    name: 'Market',
    keys: ['stock', 'option', 'future', 'forex', 'crypto', 'cfd', 'other'],
  },
  weekday: { name: 'Weekday', keys: [1, 2, 3, 4, 5, 6, 7] },
  hour: { name: 'Hour of entry', keys: Array.from({ length: 24 }, (_, hour) => hour) },
  after: {
    name: 'After',
    names: {
      none: 'no trade that day',
      win: 'a win',
      breakeven: 'a breakeven',
      loss: 'a loss',
      losses: 'two losses or more',
    },
  },
  since_loss: {
    name: 'Time since a loss',
    names: {
      under_10m: 'under 10 min',
      '10m_to_15m': '10 to 15 min',
      '15m_to_30m': '15 to 30 min',
      '30m_to_2h': '30 min to 2 h',
      over_2h: 'over 2 h',
    },
    none: 'no loss that day',
  },
  trade_of_day: {
    name: 'Trade of the day',
    keys: ['1', '2', '3', '4', '5', '6', '7', '8', '9', '10+'],
  },
  size: {
    name: 'Size',
    names: {
      under_half: 'under half the usual',
      'half_to_1.5x': 'the usual',
      '1.5x_to_3x': '1.5 to 3 times the usual',
      over_3x: 'over 3 times the usual',
    },
  },
  holding_time: {
    name: 'Holding time',
    names: {
      under_1m: 'under 1 min',
      '1m_to_5m': '1 to 5 min',
      '5m_to_15m': '5 to 15 min',
      '15m_to_1h': '15 min to 1 h',
      '1h_to_4h': '1 to 4 h',
      '4h_to_1d': '4 h to 1 day',
      '1d_to_1w': '1 day to 1 week',
      over_1w: 'over 1 week',
    },
  },
  strategy: { name: 'Strategy' },
  emotion: { name: 'Emotion', labels: 'emotions' },
  rule: { name: 'Rule', labels: 'rules', endings: [': kept', ': broken'] },
  followed_plan: { name: 'Plan followed', keys: [true, false, null] },
  mood: { name: 'Mood of the day' },
  energy: { name: 'Energy of the day', keys: [1, 2, 3, 4, 5] },
  sleep: {
    name: 'Sleep',
    names: {
      under_6h: 'under 6 h',
      '6h_to_7h': '6 to 7 h',
      '7h_to_8h': '7 to 8 h',
      over_8h: '8 h or more',
    },
  },
  day_plan: { name: "Day's plan followed", keys: [true, false, null] },
};

/** Begins the dimension of a field that the trader named. */
export const FIELD = 'field:';

export function nameOf(dimension: string): string {
  if (dimension.startsWith(FIELD)) return dimension.slice(FIELD.length);
  return DIMENSIONS[dimension]?.name ?? word(dimension);
}

/** All keys of a dimension; undefined if the journal decides. */
export function keysOf(dimension: string): readonly Key[] | undefined {
  const { keys, names, none } = DIMENSIONS[dimension] ?? {};
  return names ? [...Object.keys(names), ...(none ? [null] : [])] : keys;
}

/** A key as shown: Friday, 2 PM, a loss, under 10 min. */
export function nameOfKey(dimension: string, key: Key, format: Formats): string {
  if (dimension === 'weekday') return format.weekday(Number(key), 'long');
  if (dimension === 'hour') return format.hour(Number(key));

  const { names = {}, none = `no ${nameOf(dimension).toLowerCase()}` } =
    DIMENSIONS[dimension] ?? {};
  if (key === null) return none;
  if (typeof key === 'boolean') return key ? 'yes' : 'no';
  if (dimension === 'energy') return `${key} of 5`;

  return (Object.hasOwn(names, key) ? names[key] : undefined) ?? String(key);
}

/** All filters of an address, those that trades must have first. */
export function filtersOf(query: PlaceQuery): Filter[] {
  const plain = PLAIN.flatMap((name) =>
    query[name] ? [{ dimension: name, key: query[name] as Key, isWithout: false }] : [],
  );
  return [
    ...plain,
    ...clausesOf(query['where']).flatMap((clause) => filtersIn(clause, false)),
    ...clausesOf(query['exclude']).flatMap((clause) => filtersIn(clause, true)),
  ];
}

function filtersIn(clause: Clause, isWithout: boolean): Filter[] {
  return Object.entries(clause).flatMap(([dimension, keys]) =>
    keys.map((key) => ({ dimension, key, isWithout })),
  );
}

/** The address with one more filter; unchanged at the limit. */
export function withFilter(query: PlaceQuery, filter: Filter): Changed {
  const { dimension, key, isWithout } = filter;
  if (!isWithout && PLAIN.includes(dimension) && typeof key === 'string')
    return { ...query, [dimension]: key };

  const name = isWithout ? 'exclude' : 'where';
  // An excluded trade has any of the keys; a counted one has a key of each dimension.
  const clauses = clausesOf(query[name]);
  const place = isWithout ? clauses.find((clause) => clause[dimension]) : clauses[0];
  if (place)
    place[dimension] = [...(place[dimension] ?? []).filter((one) => one !== key), key];
  else if (clauses.length < MOST_CLAUSES) clauses.push({ [dimension]: [key] });

  return { ...query, [name]: textOf(clauses) };
}

/** The address without that filter. */
export function withoutFilter(
  query: PlaceQuery,
  { dimension, key, isWithout }: Filter,
): Changed {
  if (!isWithout && query[dimension] === key) return { ...query, [dimension]: undefined };

  const name = isWithout ? 'exclude' : 'where';
  const clauses = clausesOf(query[name]).map((clause) =>
    Object.fromEntries(
      Object.entries(clause)
        .map(
          ([other, keys]) =>
            [
              other,
              other === dimension ? keys.filter((one) => one !== key) : keys,
            ] as const,
        )
        .filter(([, keys]) => keys.length > 0),
    ),
  );
  return {
    ...query,
    [name]: textOf(clauses.filter((clause) => Object.keys(clause).length > 0)),
  };
}

/** The part of the address that the next view keeps. */
export function carried(query: PlaceQuery): Changed {
  return Object.fromEntries(
    [...PLAIN, ...FIGURES_ONLY].map((name) => [name, query[name]]),
  );
}

/** True if the list of trades can't apply the filter. */
export function isForFigures({ dimension, key, isWithout }: Filter): boolean {
  return isWithout || !PLAIN.includes(dimension) || typeof key !== 'string';
}

/** The address without the filters that only figures take. */
export function withoutFigureFilters(
  query: PlaceQuery,
): Record<string, string | undefined> {
  return Object.fromEntries(
    Object.entries(query).filter(([name]) => !FIGURES_ONLY.includes(name)),
  );
}

/** The period, filtered by a key. */
export function linkTo(query: PlaceQuery, dimension: string, key: Key): string {
  return hrefOf('overview', withFilter(query, { dimension, key, isWithout: false }));
}

/** The query of the list of trades for those that were closed in a period. */
export function closedTradesOf(
  query: PlaceQuery,
  start: string | null,
  end: string | null,
) {
  const { period: _, start: __, end: ___, ...filters } = withoutFigureFilters(query);
  return { ...filters, date_field: 'closed_at', start, end };
}

function textOf(clauses: readonly Clause[]): string | undefined {
  if (clauses.length === 0) return undefined;
  return JSON.stringify(clauses.length === 1 ? clauses[0] : clauses);
}

/**
 * The conditions in the address; none if they aren't valid JSON. The API reports wrong
 * keys.
 */
function clausesOf(text: string | undefined): Clause[] {
  if (!text) return [];

  let sent: unknown;
  try {
    sent = JSON.parse(text);
  } catch {
    return [];
  }

  const clauses = (Array.isArray(sent) ? sent : [sent]) as unknown[];
  return clauses.flatMap((clause) =>
    typeof clause !== 'object' || clause === null || Array.isArray(clause)
      ? []
      : [
          Object.fromEntries(
            Object.entries(clause as Record<string, Key | Key[]>).map(([name, keys]) => [
              name,
              [keys].flat(),
            ]),
          ),
        ],
  );
}
