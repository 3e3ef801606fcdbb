/** Users' names of fields, as data. Case, spaces and punctuation don't matter: "Stop Loss", stop-loss and stopLoss are equal. */

import { isText } from './values.ts';

// Lines with the name and value of a field, in any usual form.

interface LabelLine {
  name: string;
  value: string;
  /** The less plain, the surer it is that a field is meant. */
  form: 'dataview' | 'bold' | 'plain';
}

/** Longest name, including its markup. */
const LONGEST_NAME = 70;

const BULLET = /^[ \t]*(?:[-*+] )?/;
const NAME = /^\p{L}[^:|[\]{}<>"]{0,60}$/u;

/** @returns undefined for any other line */
export function labelIn(line: string): LabelLine | undefined {
  const bullet = BULLET.exec(line)?.[0].length ?? 0;
  const start = line.slice(bullet, bullet + LONGEST_NAME);
  const rest = (at: number) => line.slice(bullet + at);
  const double = start.indexOf('::');
  if (double > 0) {
    const value = rest(double + 2);
    const name = start.slice(0, double).replaceAll(/^[*_]{1,2}|[*_]{1,2}$/g, '');
    const isField = NAME.test(name) && (value === '' || /^\s/.test(value));
    return isField ? { name, value: value.trim(), form: 'dataview' } : undefined;
  }
  const mark = /^(?:\*\*|__)/.exec(start)?.[0];
  if (mark) {
    const end = start.indexOf(mark, 2);
    const after = rest(end + 2);
    const name = start.slice(2, end).trim();
    if (end < 3 || !(name.endsWith(':') || /^\s*:/.test(after))) return undefined;
    const own = name.replace(/:$/, '');
    return NAME.test(own) ? { name: own, value: after.replace(/^\s*:/, '').trim(), form: 'bold' } : undefined;
  }
  const colon = start.indexOf(':');
  const name = start.slice(0, colon);
  if (colon < 1 || !/^(?: |$)/.test(rest(colon + 1)) || !NAME.test(name)) return undefined;
  return { name, value: rest(colon + 1).trim(), form: 'plain' };
}

const BOLD_ONLY = /^[ \t]*(?:\*\*|__)([^*_]{1,80})(?:\*\*|__)[ \t]*$/;

/** The text of a line that is bold as a whole, like a heading. */
export function boldIn(line: string): string | undefined {
  return line.length > 120 ? undefined : BOLD_ONLY.exec(line)?.[1];
}

const CHECK = /^[ \t]*[-*+] \[([ xX])\] (\S.*)$/;

/** - [x] Stop placed at once */
export function checkIn(line: string): { text: string; isDone: boolean } | undefined {
  const [, mark, text] = CHECK.exec(line) ?? [];
  return text === undefined ? undefined : { text: text.trim(), isDone: mark !== ' ' };
}

const BULLET_LINE = /^([ \t]*)[-*+] (\S.*)$/;

export function bulletIn(line: string): { text: string; indent: number } | undefined {
  const [, indent, text] = BULLET_LINE.exec(line) ?? [];
  return text === undefined ? undefined : { text, indent: (indent as string).length };
}

/** Names by field, separated by spaces. The first is the field's own. */
type Names = Readonly<Record<string, string>>;

/** Fields of a trade and its journal entry. */
const TRADE = {
  setup: 'setup setuptype strategy tradetype pattern playbook',
  stop_loss: 'stoploss stop sl initialstop stopprice',
  take_profit: 'takeprofit target targets tp takeprofits profittarget targetprice',
  initial_risk: 'initialrisk risk risk$ riskamount amountatrisk',
  risk_percent: 'riskpercent risk% riskpct',
  timeframe: 'timeframe tf entrytimeframe',
  tags: 'tags tag',
  mistakes: 'mistakes mistake',
  rating: 'rating grade tradegrade overallgrade stars',
  emotions: 'emotions emotion emotionalstate feeling feelings entrymood mood',
  followed_plan: 'followedplan followedrules rulesfollowed planfollowed followedtheplan',
  rules: 'rules rule',
  confidence: 'confidence',
  execution_rating: 'executionrating execution',
  went_well: 'wentwell whatwentwell whatwentright whatworked whatwasgoodaboutthistrade wentright',
  went_wrong: 'wentwrong whatwentwrong whatdidntwork whatwasbadaboutthistrade needsimprovement whatneedsimprovement',
  lesson:
    'lesson lessons lessonlearned lessonslearned keylesson keylessons whatdidilearn whatilearned takeaway takeaways whatwouldidodifferently',
  body: 'body notes note tradenotes comment comments thesis',
};

/** Facts that the fills state too: they help to find the trade, and are compared. */
export const FACTS = {
  symbol: 'symbol ticker pair instrument asset',
  side: 'side direction dir position longshort',
  time: 'time entrytime timein opentime timeofentry',
  date: 'date entrydate day executedat opendate',
  number: 'no nr number tradenumber tradeno',
  entry: 'entry entryprice avgentry price',
  exit: 'exit exitprice avgexit',
  quantity: 'quantity size qty contracts shares positionsize lots',
  pnl: 'pnl p&l p&l$ pl profit netpnl pnl$',
  r: 'r rmultiple p&lrmultiple pnlrmultiple resultr',
  result: 'result outcome',
};

/** Names of derived values, which are neither stored nor compared. */
const DERIVED =
  'rr riskreward plannedrr p&l% pnl% pnlpct pnlpercent status exitdate exittime exits entries fees commission commissions duration ' +
  'holdingtime closedate tradestatus assettype tradeid account schemaversion hasexplicitexitprice reviewed dollarperpoint templateid ' +
  'templateversion ismissedtrade exitprice type';

const { symbol, side, time, date } = FACTS;
const { setup, emotions, lesson, tags } = TRADE;

const MISSED: Names = {
  ...{ symbol, side, time, date, setup, emotions, lesson, tags },
  planned_entry: `plannedentry ${FACTS.entry}`,
  planned_stop: `plannedstop ${TRADE.stop_loss}`,
  planned_target: `plannedtarget ${TRADE.take_profit}`,
  planned_quantity: `plannedquantity ${FACTS.quantity}`,
  hypothetical_r: `hypotheticalr ${FACTS.r} result`,
  hypothetical_pnl: `hypotheticalpnl ${FACTS.pnl}`,
  hypothetical_outcome: 'hypotheticaloutcome outcome wouldhave',
  miss_type: 'misstype',
  reason: 'reason missedreason why whymissed',
  market: 'market assettype',
  currency: 'currency',
  notes: 'notes note comment body',
};

const SESSION: Names = {
  date: 'date day',
  name: 'name sessionname',
  mood: 'mood mentalstate emotionalstate',
  energy: 'energy energylevel',
  sleep_hours: 'sleephours sleep hoursslept hoursofsleep',
  goals: 'goals goal',
  tags,
  plan: 'plan premarketplan gameplan tradingplan presessionplan todaysplan',
  notes: 'notes',
  'market_context.bias': 'marketcontextbias bias marketbias dailybias',
  'market_context.condition': 'marketcontextcondition condition marketcondition marketregime regime',
  'review.went_well': `reviewwentwell ${TRADE.went_well}`,
  'review.went_wrong': `reviewwentwrong ${TRADE.went_wrong}`,
  'review.lesson': `reviewlesson ${lesson}`,
  'review.followed_plan': `reviewfollowedplan ${TRADE.followed_plan}`,
  'review.rating': 'reviewrating rating grade dayrating daygrade',
  'review.mistakes': 'reviewmistakes mistakes',
};

const WEEK: Names = {
  summary: 'summary',
  went_well: TRADE.went_well,
  went_wrong: TRADE.went_wrong,
  lesson,
  focus: 'focus',
  goals: 'goals goal',
  next_goals: 'nextgoals',
  rating: 'rating grade',
  mistakes: TRADE.mistakes,
};

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

export type Scope = 'trade' | 'session' | 'missed' | 'week';

/** The field of derived values: known, but not stored. */
export const DERIVED_FIELD = 'derived';

const FIELDS: Record<Scope, ReadonlyMap<string, string>> = {
  trade: byName({ ...TRADE, ...FACTS }, DERIVED),
  session: byName(SESSION),
  missed: byName(MISSED, DERIVED),
  week: byName(WEEK),
};

/** The first field with a name has it; derived values have those of no field. */
function byName(names: Names, derived = ''): ReadonlyMap<string, string> {
  const known = Object.entries(names).flatMap(([field, own]) => own.split(' ').map((name) => [name, field] as const));
  return new Map([...derived.split(' ').map((name) => [name, DERIVED_FIELD] as const), ...known.toReversed()]);
}

function squashed(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}%&$]/gu, '');
}

const LONGEST = 60;

/** The field of a name; undefined if unknown. Brackets are optional: "Target(s)", "Emotional State (Entry)". */
export function fieldNamed(name: string, scope: Scope): string | undefined {
  if (name.length > LONGEST) return undefined;
  if (name.trim() === '#') return scope === 'session' ? undefined : 'number';
  const fields = FIELDS[scope];
  return fields.get(squashed(name)) ?? fields.get(squashed(name.replaceAll(/\([^()]*\)/g, '')));
}

type Heading = { kind: 'container' | 'goals' | 'missed' | 'next_goals' } | { kind: 'text'; field: string };

/** The meaning of a heading that is neither a day nor a trade; undefined for the user's own. */
export function headingNamed(title: string, scope: Scope): Heading | undefined {
  const name = squashed(title.slice(0, 2 * LONGEST).replace(/^[^\p{L}\p{N}]*\d{1,2}[.)] /u, ''));
  if ((scope === 'session' || scope === 'week') && GOALS.has(name)) return { kind: 'goals' };
  if (scope === 'week' && (name === 'nextweek' || name === 'goalsfornextweek')) return { kind: 'next_goals' };
  if (MISSED_HEADINGS.has(name)) return { kind: 'missed' };
  if (CONTAINERS.has(name)) return { kind: 'container' };
  const field = fieldNamed(name, scope);
  return field !== undefined && isText(field) && field !== 'reason' ? { kind: 'text', field } : undefined;
}

/** Whether a property is the note's own and belongs to no record. */
export function isOfNote(name: string): boolean {
  return OF_DAYS.has(squashed(name));
}
