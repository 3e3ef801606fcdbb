/**
 * The fields of notes, as data: which there are, what people call them, and how their
 * values are written; and what a heading may be.
 */
import { type Kind, LISTS } from './field-values.ts';

/** What a part of a note is about. */
export type Scope = 'trade' | 'session' | 'missed' | 'week';

interface Field {
  kind: Kind;
  /**
   * Other names than its own. Case, spaces and punctuation don't matter: "Stop Loss",
   * stop-loss and stopLoss are equal.
   */
  also?: readonly string[];
  /** Whether a printed note shows it without a value, too. */
  isShown?: true;
}

/** In the order in which they are printed. Of fields with one name, the first has it. */
type Fields = Readonly<Record<string, Field>>;

/** Fields of a trade and its journal entry. */
const TRADE = {
  setup: {
    kind: 'line',
    also: ['setuptype', 'strategy', 'tradetype', 'pattern', 'playbook'],
    isShown: true,
  },
  stop_loss: {
    kind: 'number',
    also: ['stop', 'sl', 'initialstop', 'stopprice'],
    isShown: true,
  },
  take_profit: {
    kind: 'number',
    also: ['target', 'targets', 'tp', 'takeprofits', 'profittarget', 'targetprice'],
    isShown: true,
  },
  initial_risk: {
    kind: 'number',
    also: ['risk', 'risk$', 'riskamount', 'amountatrisk'],
    isShown: true,
  },
  tags: { kind: 'tags', also: ['tag'], isShown: true },
  mistakes: { kind: 'list', also: ['mistake'], isShown: true },
  rating: {
    kind: 'rating',
    also: ['grade', 'tradegrade', 'overallgrade', 'stars'],
    isShown: true,
  },
  emotions: {
    kind: 'list',
    also: ['emotion', 'emotionalstate', 'feeling', 'feelings', 'entrymood', 'mood'],
    isShown: true,
  },
  followed_plan: {
    kind: 'flag',
    also: ['followedrules', 'rulesfollowed', 'planfollowed', 'followedtheplan'],
    isShown: true,
  },
  rules: { kind: 'rules', also: ['rule'], isShown: true },
  timeframe: { kind: 'line', also: ['tf', 'entrytimeframe'] },
  confidence: { kind: 'rating' },
  execution_rating: { kind: 'rating', also: ['execution'] },
  went_well: {
    kind: 'text',
    also: [
      'whatwentwell',
      'whatwentright',
      'whatworked',
      'whatwasgoodaboutthistrade',
      'wentright',
    ],
  },
  went_wrong: {
    kind: 'text',
    also: [
      'whatwentwrong',
      'whatdidntwork',
      'whatwasbadaboutthistrade',
      'needsimprovement',
      'whatneedsimprovement',
    ],
  },
  lesson: {
    kind: 'text',
    also: [
      'lessons',
      'lessonlearned',
      'lessonslearned',
      'keylesson',
      'keylessons',
      'whatdidilearn',
      'whatilearned',
      'takeaway',
      'takeaways',
      'whatwouldidodifferently',
    ],
  },
  risk_percent: { kind: 'number', also: ['risk%', 'riskpct'] },
  body: {
    kind: 'text',
    also: ['notes', 'note', 'tradenotes', 'comment', 'comments', 'thesis'],
  },
} as const satisfies Fields;

/** Facts that the fills state too: they help to find the trade, and are compared. */
const FACTS = {
  symbol: { kind: 'line', also: ['ticker', 'pair', 'instrument', 'asset'] },
  side: { kind: 'line', also: ['direction', 'dir', 'position', 'longshort'] },
  time: { kind: 'line', also: ['entrytime', 'timein', 'opentime', 'timeofentry'] },
  date: { kind: 'line', also: ['entrydate', 'day', 'executedat', 'opendate'] },
  number: { kind: 'line', also: ['no', 'nr', 'tradenumber', 'tradeno'] },
  entry: { kind: 'line', also: ['entryprice', 'avgentry', 'price'] },
  exit: { kind: 'line', also: ['exitprice', 'avgexit'] },
  quantity: {
    kind: 'line',
    also: ['size', 'qty', 'contracts', 'shares', 'positionsize', 'lots'],
  },
  pnl: { kind: 'line', also: ['p&l', 'p&l$', 'pl', 'profit', 'netpnl', 'pnl$'] },
  r: { kind: 'line', also: ['rmultiple', 'p&lrmultiple', 'pnlrmultiple', 'resultr'] },
  result: { kind: 'line', also: ['outcome'] },
} as const satisfies Fields;

const MISSED: Fields = {
  symbol: FACTS.symbol,
  side: FACTS.side,
  time: FACTS.time,
  date: FACTS.date,
  setup: TRADE.setup,
  reason: { kind: 'text', also: ['missedreason', 'why', 'whymissed'], isShown: true },
  miss_type: { kind: 'line', isShown: true },
  hypothetical_r: {
    kind: 'ratio',
    also: ['r', ...FACTS.r.also, 'result'],
    isShown: true,
  },
  emotions: { kind: 'list', also: TRADE.emotions.also },
  lesson: { kind: 'text', also: TRADE.lesson.also },
  tags: { kind: 'tags', also: TRADE.tags.also },
  planned_entry: { kind: 'number', also: ['entry', ...FACTS.entry.also] },
  planned_stop: { kind: 'number', also: ['stoploss', ...TRADE.stop_loss.also] },
  planned_target: { kind: 'number', also: ['takeprofit', ...TRADE.take_profit.also] },
  planned_quantity: { kind: 'number', also: ['quantity', ...FACTS.quantity.also] },
  hypothetical_pnl: { kind: 'number', also: ['pnl', ...FACTS.pnl.also] },
  hypothetical_outcome: { kind: 'line', also: ['outcome', 'wouldhave'] },
  market: { kind: 'market', also: ['assettype'] },
  currency: { kind: 'line' },
  notes: { kind: 'text', also: ['note', 'comment', 'body'] },
};

const SESSION: Fields = {
  date: { kind: 'line', also: ['day'] },
  mood: { kind: 'line', also: ['mentalstate', 'emotionalstate'], isShown: true },
  energy: { kind: 'rating', also: ['energylevel'], isShown: true },
  sleep_hours: {
    kind: 'hours',
    also: ['sleep', 'hoursslept', 'hoursofsleep'],
    isShown: true,
  },
  tags: TRADE.tags,
  name: { kind: 'line', also: ['sessionname'] },
  'market_context.bias': { kind: 'line', also: ['bias', 'marketbias', 'dailybias'] },
  'market_context.condition': {
    kind: 'line',
    also: ['condition', 'marketcondition', 'marketregime', 'regime'],
  },
  'review.followed_plan': {
    kind: 'flag',
    also: ['followedplan', ...TRADE.followed_plan.also],
  },
  'review.rating': { kind: 'rating', also: ['rating', 'grade', 'dayrating', 'daygrade'] },
  'review.mistakes': { kind: 'list', also: ['mistakes'] },
  goals: { kind: 'goals', also: ['goal'] },
  plan: {
    kind: 'text',
    also: ['premarketplan', 'gameplan', 'tradingplan', 'presessionplan', 'todaysplan'],
  },
  'review.went_well': { kind: 'text', also: ['wentwell', ...TRADE.went_well.also] },
  'review.went_wrong': { kind: 'text', also: ['wentwrong', ...TRADE.went_wrong.also] },
  'review.lesson': { kind: 'text', also: ['lesson', ...TRADE.lesson.also] },
  notes: { kind: 'text' },
};

const WEEK: Fields = {
  rating: { kind: 'rating', also: ['grade'], isShown: true },
  mistakes: TRADE.mistakes,
  summary: { kind: 'text' },
  went_well: TRADE.went_well,
  went_wrong: TRADE.went_wrong,
  lesson: TRADE.lesson,
  focus: { kind: 'text' },
  goals: { kind: 'goals', also: ['goal'] },
  next_goals: { kind: 'list' },
};

const FIELDS: Record<Scope, Fields> = {
  trade: { ...TRADE, ...FACTS },
  session: SESSION,
  missed: MISSED,
  week: WEEK,
};

/** The field of derived values: known, but neither stored nor compared. */
export const DERIVED_FIELD = 'derived';

const DERIVED: readonly string[] = [
  'rr',
  'riskreward',
  'plannedrr',
  'p&l%',
  'pnl%',
  'pnlpct',
  'pnlpercent',
  'status',
  'exitdate',
  'exittime',
  'exits',
  'entries',
  'fees',
  'commission',
  'commissions',
  'duration',
  'holdingtime',
  'closedate',
  'tradestatus',
  'assettype',
  'tradeid',
  'account',
  'schemaversion',
  'hasexplicitexitprice',
  'reviewed',
  'dollarperpoint',
  'templateid',
  'templateversion',
  'ismissedtrade',
  'exitprice',
  'type',
];

const KINDS = new Map(
  Object.values(FIELDS).flatMap((fields) =>
    Object.entries(fields).map(([name, { kind }]) => [name, kind] as const),
  ),
);

export function kindOf(field: string): Kind {
  return KINDS.get(field) ?? 'line';
}

/** Whether a field may have several lines of text. */
export function isText(field: string): boolean {
  return kindOf(field) === 'text';
}

export function isList(field: string): boolean {
  return LISTS.includes(kindOf(field));
}

/** Whether a part states a fact of its trade, which is compared, and isn't stored. */
export function isFact(field: string, scope: Scope): boolean {
  return (scope === 'trade' || scope === 'missed') && Object.hasOwn(FACTS, field);
}

/**
 * Fields of records that notes state: those within objects are named like review.lesson.
 */
export function fieldsOf(scope: Scope): string[] {
  return Object.keys(FIELDS[scope]);
}

/** Fields that a printed note shows in any case, or whatever else `also` selects. */
export function shownFields(
  scope: Scope,
  also: (field: string) => boolean = () => false,
): string[] {
  return fieldsOf(scope).filter((name) => FIELDS[scope][name]?.isShown || also(name));
}

const BY_NAME: Record<Scope, ReadonlyMap<string, string>> = {
  trade: byName('trade', DERIVED),
  session: byName('session'),
  missed: byName('missed', DERIVED),
  week: byName('week'),
};

/** Derived values have the names that no field has. */
function byName(
  scope: Scope,
  derived: readonly string[] = [],
): ReadonlyMap<string, string> {
  const known = Object.entries(FIELDS[scope]).flatMap(([field, { also = [] }]) =>
    [squashed(field), ...also].map((name) => [name, field] as const),
  );
  return new Map([
    ...derived.map((name) => [name, DERIVED_FIELD] as const),
    ...known.toReversed(),
  ]);
}

function squashed(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}%&$]/gu, '');
}

const LONGEST = 60;

/**
 * The field of a name; undefined if unknown. Brackets are optional: "Target(s)",
 * "Emotional State (Entry)".
 */
export function fieldNamed(name: string, scope: Scope): string | undefined {
  if (name.length > LONGEST) return undefined;
  if (name.trim() === '#') return scope === 'session' ? undefined : 'number';

  const fields = BY_NAME[scope];
  return (
    fields.get(squashed(name)) ?? fields.get(squashed(name.replaceAll(/\([^()]*\)/g, '')))
  );
}

/** Properties of any note itself, in small letters: none is a field. */
export const NOTE_PROPERTIES: readonly string[] = [
  'type',
  'aliases',
  'alias',
  'cssclass',
  'cssclasses',
  'publish',
  'permalink',
];

/** The same of a day's note, with names of totals of the day's trades. */
const OF_NOTE: readonly string[] = [
  ...NOTE_PROPERTIES,
  'trades',
  'pnl',
  'p&l',
  'netpnl',
  'totalr',
  'winrate',
  'wins',
  'losses',
  'title',
  'created',
  'modified',
  'weekday',
];

/** Whether a property is the note's own and belongs to no record. */
export function isOfNote(name: string): boolean {
  return OF_NOTE.includes(squashed(name));
}

// What a heading may be that is neither a day nor a trade.

/** The list that bullets below a heading are items of. */
export type ListKind = 'goals' | 'next_goals' | 'missed';

type Heading = { kind: ListKind | 'container' } | { kind: 'text'; field: string };

/** By their names; then come the fields with text. */
const HEADINGS: readonly {
  kind: ListKind | 'container';
  /** All by default. */
  scopes?: readonly Scope[];
  names: readonly string[];
}[] = [
  {
    kind: 'goals',
    scopes: ['session', 'week'],
    names: [
      'goals',
      'goal',
      'goalsoftheday',
      'dailygoals',
      'todaysgoals',
      'rules',
      'rulesoftheday',
      'dailyrules',
      'todaysrules',
      'myrules',
      'tradingrules',
    ],
  },
  { kind: 'next_goals', scopes: ['week'], names: ['nextweek', 'goalsfornextweek'] },
  { kind: 'missed', names: ['missedtrades', 'missedtrade', 'missed', 'missedsetups'] },
  {
    kind: 'container',
    names: [
      'trades',
      'tradestaken',
      'tradesexecuted',
      'tradelog',
      'todaystrades',
      'mytrades',
      'review',
      'dailyreview',
      'postsessionreview',
      'postmarketreview',
      'endofdayreview',
      'eodreview',
      'sessionreview',
      'checklist',
      'checklistbeforeentry',
      'entrychecklist',
      'tradenotes',
      'tradereview',
      'posttradereview',
      'finalgrade',
      'trade',
      'tradesummary',
    ],
  },
];

const BY_HEADING: Record<Scope, ReadonlyMap<string, ListKind | 'container'>> = {
  trade: headingsOf('trade'),
  session: headingsOf('session'),
  missed: headingsOf('missed'),
  week: headingsOf('week'),
};

function headingsOf(scope: Scope) {
  const all = HEADINGS.filter(({ scopes }) => scopes?.includes(scope) !== false);
  return new Map(
    all.flatMap(({ kind, names }) => names.map((name) => [name, kind] as const)),
  );
}

/** A number before a heading: 2. Review. */
const NUMBERED = /^[^\p{L}\p{N}]*\d{1,2}[.)] /u;

/** The meaning of a heading by its name; undefined for the user's own. */
export function headingNamed(title: string, scope: Scope): Heading | undefined {
  const name = squashed(title.slice(0, 2 * LONGEST).replace(NUMBERED, ''));
  const kind = BY_HEADING[scope].get(name);
  if (kind) return { kind };

  const field = fieldNamed(name, scope);
  return field !== undefined && isText(field) && field !== 'reason'
    ? { kind: 'text', field }
    : undefined;
}
