/** The fields of day notes, as data: kinds, names, and which ones a printed note always shows. */

import { type Kind, LISTS } from './values.ts';

/**
 * Users' names of a field, separated by spaces. Case, spaces and punctuation don't matter: "Stop
 * Loss", stop-loss and stopLoss are equal.
 */
type Field = readonly [kind: Kind, names: string, shown?: 'always'];

/** In the order in which they are printed. The first name is the field's own. */
type Fields = Readonly<Record<string, Field>>;

/** Fields of a trade and its journal entry. */
const TRADE = {
  setup: ['line', 'setup setuptype strategy tradetype pattern playbook', 'always'],
  stop_loss: ['number', 'stoploss stop sl initialstop stopprice', 'always'],
  take_profit: [
    'number',
    'takeprofit target targets tp takeprofits profittarget targetprice',
    'always',
  ],
  initial_risk: ['number', 'initialrisk risk risk$ riskamount amountatrisk', 'always'],
  tags: ['tags', 'tags tag', 'always'],
  mistakes: ['list', 'mistakes mistake', 'always'],
  rating: ['rating', 'rating grade tradegrade overallgrade stars', 'always'],
  emotions: ['list', 'emotions emotion emotionalstate feeling feelings entrymood mood', 'always'],
  followed_plan: [
    'flag',
    'followedplan followedrules rulesfollowed planfollowed followedtheplan',
    'always',
  ],
  rules: ['rules', 'rules rule', 'always'],
  timeframe: ['line', 'timeframe tf entrytimeframe'],
  confidence: ['rating', 'confidence'],
  execution_rating: ['rating', 'executionrating execution'],
  went_well: [
    'text',
    'wentwell whatwentwell whatwentright whatworked whatwasgoodaboutthistrade wentright',
  ],
  went_wrong: [
    'text',
    'wentwrong whatwentwrong whatdidntwork whatwasbadaboutthistrade needsimprovement whatneedsimprovement',
  ],
  lesson: [
    'text',
    'lesson lessons lessonlearned lessonslearned keylesson keylessons whatdidilearn whatilearned takeaway takeaways whatwouldidodifferently',
  ],
  risk_percent: ['number', 'riskpercent risk% riskpct'],
  body: ['text', 'body notes note tradenotes comment comments thesis'],
} as const satisfies Fields;

/** Facts that the fills state too: they help to find the trade, and are compared. */
export const FACTS = {
  symbol: ['line', 'symbol ticker pair instrument asset'],
  side: ['line', 'side direction dir position longshort'],
  time: ['line', 'time entrytime timein opentime timeofentry'],
  date: ['line', 'date entrydate day executedat opendate'],
  number: ['line', 'no nr number tradenumber tradeno'],
  entry: ['line', 'entry entryprice avgentry price'],
  exit: ['line', 'exit exitprice avgexit'],
  quantity: ['line', 'quantity size qty contracts shares positionsize lots'],
  pnl: ['line', 'pnl p&l p&l$ pl profit netpnl pnl$'],
  r: ['line', 'r rmultiple p&lrmultiple pnlrmultiple resultr'],
  result: ['line', 'result outcome'],
} as const satisfies Fields;

/** Names of derived values, which are neither stored nor compared. */
const DERIVED =
  'rr riskreward plannedrr p&l% pnl% pnlpct pnlpercent status exitdate exittime exits entries fees commission commissions duration ' +
  'holdingtime closedate tradestatus assettype tradeid account schemaversion hasexplicitexitprice reviewed dollarperpoint templateid ' +
  'templateversion ismissedtrade exitprice type';

const { symbol, side, time, date } = FACTS;
const { setup, emotions, tags } = TRADE;
const [, lesson] = TRADE.lesson;

const MISSED: Fields = {
  ...{ symbol, side, time, date, setup },
  reason: ['text', 'reason missedreason why whymissed', 'always'],
  miss_type: ['line', 'misstype', 'always'],
  hypothetical_r: ['ratio', `hypotheticalr ${FACTS.r[1]} result`, 'always'],
  emotions: ['list', emotions[1]],
  lesson: ['text', lesson],
  tags: ['tags', tags[1]],
  planned_entry: ['number', `plannedentry ${FACTS.entry[1]}`],
  planned_stop: ['number', `plannedstop ${TRADE.stop_loss[1]}`],
  planned_target: ['number', `plannedtarget ${TRADE.take_profit[1]}`],
  planned_quantity: ['number', `plannedquantity ${FACTS.quantity[1]}`],
  hypothetical_pnl: ['number', `hypotheticalpnl ${FACTS.pnl[1]}`],
  hypothetical_outcome: ['line', 'hypotheticaloutcome outcome wouldhave'],
  market: ['market', 'market assettype'],
  currency: ['line', 'currency'],
  notes: ['text', 'notes note comment body'],
};

const SESSION: Fields = {
  date: ['line', 'date day'],
  mood: ['line', 'mood mentalstate emotionalstate', 'always'],
  energy: ['rating', 'energy energylevel', 'always'],
  sleep_hours: ['hours', 'sleephours sleep hoursslept hoursofsleep', 'always'],
  tags,
  name: ['line', 'name sessionname'],
  'market_context.bias': ['line', 'marketcontextbias bias marketbias dailybias'],
  'market_context.condition': [
    'line',
    'marketcontextcondition condition marketcondition marketregime regime',
  ],
  'review.followed_plan': ['flag', `reviewfollowedplan ${TRADE.followed_plan[1]}`],
  'review.rating': ['rating', 'reviewrating rating grade dayrating daygrade'],
  'review.mistakes': ['list', 'reviewmistakes mistakes'],
  goals: ['goals', 'goals goal'],
  plan: ['text', 'plan premarketplan gameplan tradingplan presessionplan todaysplan'],
  'review.went_well': ['text', `reviewwentwell ${TRADE.went_well[1]}`],
  'review.went_wrong': ['text', `reviewwentwrong ${TRADE.went_wrong[1]}`],
  'review.lesson': ['text', `reviewlesson ${lesson}`],
  notes: ['text', 'notes'],
};

const WEEK: Fields = {
  rating: ['rating', 'rating grade', 'always'],
  mistakes: TRADE.mistakes,
  summary: ['text', 'summary'],
  went_well: TRADE.went_well,
  went_wrong: TRADE.went_wrong,
  lesson: TRADE.lesson,
  focus: ['text', 'focus'],
  goals: ['goals', 'goals goal'],
  next_goals: ['list', 'nextgoals'],
};

export type Scope = 'trade' | 'session' | 'missed' | 'week';

const FIELDS: Record<Scope, Fields> = {
  trade: { ...TRADE, ...FACTS },
  session: SESSION,
  missed: MISSED,
  week: WEEK,
};

const KINDS = new Map(
  Object.values(FIELDS).flatMap((fields) =>
    Object.entries(fields).map(([name, [kind]]) => [name, kind] as const),
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

/** Fields that a printed note shows in any case, or whatever else `also` selects. */
export function shownFields(
  scope: Scope,
  also: (field: string) => boolean = () => false,
): string[] {
  const all = Object.entries(FIELDS[scope]);
  return all.flatMap(([name, [, , shown]]) => (shown === 'always' || also(name) ? name : []));
}

const set = (names: string): ReadonlySet<string> => new Set(names.split(' '));

/** Names of totals of the day's trades, and of properties of the note itself. */
const OF_DAYS = set(
  'type aliases alias cssclass cssclasses publish permalink trades pnl p&l netpnl totalr winrate wins losses title created modified weekday',
);

const CONTAINERS = set(
  'trades tradestaken tradesexecuted tradelog todaystrades mytrades review dailyreview postsessionreview postmarketreview ' +
    'endofdayreview eodreview sessionreview checklist checklistbeforeentry entrychecklist tradenotes tradereview posttradereview ' +
    'finalgrade trade tradesummary',
);

/** Headings whose checkboxes are the goals of the day. */
const GOALS = set(
  'goals goal goalsoftheday dailygoals todaysgoals rules rulesoftheday dailyrules todaysrules myrules tradingrules',
);

const MISSED_HEADINGS = set('missedtrades missedtrade missed missedsetups');

/** The field of derived values: known, but not stored. */
export const DERIVED_FIELD = 'derived';

const BY_NAME: Record<Scope, ReadonlyMap<string, string>> = {
  trade: byName('trade', DERIVED),
  session: byName('session'),
  missed: byName('missed', DERIVED),
  week: byName('week'),
};

/** The first field with a name has it; derived values have those of no field. */
function byName(scope: Scope, derived = ''): ReadonlyMap<string, string> {
  const all = Object.entries(FIELDS[scope]);
  const known = all.flatMap(([field, [, names]]) =>
    names.split(' ').map((name) => [name, field] as const),
  );
  return new Map([
    ...derived.split(' ').map((name) => [name, DERIVED_FIELD] as const),
    ...known.toReversed(),
  ]);
}

function squashed(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}%&$]/gu, '');
}

const LONGEST = 60;

/**
 * The field of a name; undefined if unknown. Brackets are optional: "Target(s)", "Emotional State
 * (Entry)".
 */
export function fieldNamed(name: string, scope: Scope): string | undefined {
  if (name.length > LONGEST) return undefined;
  if (name.trim() === '#') return scope === 'session' ? undefined : 'number';
  const fields = BY_NAME[scope];
  return fields.get(squashed(name)) ?? fields.get(squashed(name.replaceAll(/\([^()]*\)/g, '')));
}

type Heading =
  | { kind: 'container' | 'goals' | 'missed' | 'next_goals' }
  | { kind: 'text'; field: string };

/** The meaning of a heading that is neither a day nor a trade; undefined for the user's own. */
export function headingNamed(title: string, scope: Scope): Heading | undefined {
  const name = squashed(title.slice(0, 2 * LONGEST).replace(/^[^\p{L}\p{N}]*\d{1,2}[.)] /u, ''));
  if ((scope === 'session' || scope === 'week') && GOALS.has(name)) return { kind: 'goals' };
  if (scope === 'week' && (name === 'nextweek' || name === 'goalsfornextweek'))
    return { kind: 'next_goals' };
  if (MISSED_HEADINGS.has(name)) return { kind: 'missed' };
  if (CONTAINERS.has(name)) return { kind: 'container' };
  const field = fieldNamed(name, scope);
  return field !== undefined && isText(field) && field !== 'reason'
    ? { kind: 'text', field }
    : undefined;
}

/** Whether a property is the note's own and belongs to no record. */
export function isOfNote(name: string): boolean {
  return OF_DAYS.has(squashed(name));
}
