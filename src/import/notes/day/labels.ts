/** Users' names of fields, as data. Case, spaces and punctuation don't matter: "Stop Loss", stop-loss and stopLoss are equal. */

/** Names by field. The first is the field's own. */
type Names = Readonly<Record<string, readonly string[]>>;

/** Fields of a trade and its journal entry. */
const TRADE: Names = {
  setup: ['setup', 'setuptype', 'strategy', 'tradetype', 'pattern', 'playbook'],
  stop_loss: ['stoploss', 'stop', 'sl', 'initialstop', 'stopprice'],
  take_profit: ['takeprofit', 'target', 'targets', 'tp', 'takeprofits', 'profittarget', 'targetprice'],
  initial_risk: ['initialrisk', 'risk', 'risk$', 'riskamount', 'amountatrisk'],
  risk_percent: ['riskpercent', 'risk%', 'riskpct'],
  timeframe: ['timeframe', 'tf', 'entrytimeframe'],
  tags: ['tags', 'tag'],
  mistakes: ['mistakes', 'mistake'],
  rating: ['rating', 'grade', 'tradegrade', 'overallgrade', 'stars'],
  emotions: ['emotions', 'emotion', 'emotionalstate', 'feeling', 'feelings', 'entrymood', 'mood'],
  followed_plan: ['followedplan', 'followedrules', 'rulesfollowed', 'planfollowed', 'followedtheplan'],
  rules: ['rules', 'rule'],
  confidence: ['confidence'],
  execution_rating: ['executionrating', 'execution'],
  went_well: ['wentwell', 'whatwentwell', 'whatwentright', 'whatworked', 'whatwasgoodaboutthistrade', 'wentright'],
  went_wrong: [
    ...['wentwrong', 'whatwentwrong', 'whatdidntwork', 'whatwasbadaboutthistrade', 'needsimprovement'],
    'whatneedsimprovement',
  ],
  lesson: [
    ...['lesson', 'lessons', 'lessonlearned', 'lessonslearned', 'keylesson', 'keylessons', 'whatdidilearn'],
    ...['whatilearned', 'takeaway', 'takeaways', 'whatwouldidodifferently'],
  ],
  body: ['body', 'notes', 'note', 'tradenotes', 'comment', 'comments', 'thesis'],
};

/** Facts that the fills state too: they help to find the trade, and are compared. */
const FACTS: Names = {
  symbol: ['symbol', 'ticker', 'pair', 'instrument', 'asset'],
  side: ['side', 'direction', 'dir', 'position', 'longshort'],
  time: ['time', 'entrytime', 'timein', 'opentime', 'timeofentry'],
  date: ['date', 'entrydate', 'day', 'executedat', 'opendate'],
  number: ['no', 'nr', 'number', 'tradenumber', 'tradeno'],
  entry: ['entry', 'entryprice', 'avgentry', 'price'],
  exit: ['exit', 'exitprice', 'avgexit'],
  quantity: ['quantity', 'size', 'qty', 'contracts', 'shares', 'positionsize', 'lots'],
  pnl: ['pnl', 'p&l', 'p&l$', 'pl', 'profit', 'netpnl', 'pnl$'],
  r: ['r', 'rmultiple', 'p&lrmultiple', 'pnlrmultiple', 'resultr'],
  result: ['result', 'outcome'],
};

/** Names of derived values, which are neither stored nor compared. */
const DERIVED: readonly string[] = [
  ...['rr', 'riskreward', 'plannedrr', 'p&l%', 'pnl%', 'pnlpct', 'pnlpercent', 'status', 'exitdate', 'exittime'],
  ...[
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
  ],
  ...['schemaversion', 'hasexplicitexitprice', 'reviewed', 'dollarperpoint', 'templateid', 'templateversion'],
  ...['ismissedtrade', 'exitprice', 'type'],
];

const MISSED: Names = {
  setup: TRADE['setup'] as readonly string[],
  planned_entry: ['plannedentry', ...(FACTS['entry'] as readonly string[])],
  planned_stop: ['plannedstop', ...(TRADE['stop_loss'] as readonly string[])],
  planned_target: ['plannedtarget', ...(TRADE['take_profit'] as readonly string[])],
  planned_quantity: ['plannedquantity', ...(FACTS['quantity'] as readonly string[])],
  hypothetical_r: ['hypotheticalr', ...(FACTS['r'] as readonly string[]), 'result'],
  hypothetical_pnl: ['hypotheticalpnl', ...(FACTS['pnl'] as readonly string[])],
  hypothetical_outcome: ['hypotheticaloutcome', 'outcome', 'wouldhave'],
  miss_type: ['misstype'],
  reason: ['reason', 'missedreason', 'why', 'whymissed'],
  market: ['market', 'assettype'],
  currency: ['currency'],
  emotions: TRADE['emotions'] as readonly string[],
  lesson: TRADE['lesson'] as readonly string[],
  tags: TRADE['tags'] as readonly string[],
  notes: ['notes', 'note', 'comment', 'body'],
};

const SESSION: Names = {
  date: ['date', 'day'],
  name: ['name', 'sessionname'],
  mood: ['mood', 'mentalstate', 'emotionalstate'],
  energy: ['energy', 'energylevel'],
  sleep_hours: ['sleephours', 'sleep', 'hoursslept', 'hoursofsleep'],
  goals: ['goals', 'goal'],
  tags: ['tags', 'tag'],
  plan: ['plan', 'premarketplan', 'gameplan', 'tradingplan', 'presessionplan', 'todaysplan'],
  notes: ['notes'],
  'market_context.bias': ['marketcontextbias', 'bias', 'marketbias', 'dailybias'],
  'market_context.condition': ['marketcontextcondition', 'condition', 'marketcondition', 'marketregime', 'regime'],
  'review.went_well': ['reviewwentwell', ...(TRADE['went_well'] as readonly string[])],
  'review.went_wrong': ['reviewwentwrong', ...(TRADE['went_wrong'] as readonly string[])],
  'review.lesson': ['reviewlesson', ...(TRADE['lesson'] as readonly string[])],
  'review.followed_plan': ['reviewfollowedplan', ...(TRADE['followed_plan'] as readonly string[])],
  'review.rating': ['reviewrating', 'rating', 'grade', 'dayrating', 'daygrade'],
  'review.mistakes': ['reviewmistakes', 'mistakes'],
};

/** Names of totals of the day's trades, and of properties of the note itself. */
const OF_DAYS: readonly string[] = [
  ...['type', 'aliases', 'alias', 'cssclass', 'cssclasses', 'publish', 'permalink', 'trades', 'pnl', 'p&l', 'netpnl'],
  ...['totalr', 'winrate', 'wins', 'losses', 'title', 'created', 'modified', 'weekday'],
];

const CONTAINERS: readonly string[] = [
  ...['trades', 'tradestaken', 'tradesexecuted', 'tradelog', 'todaystrades', 'mytrades', 'review', 'dailyreview'],
  ...['postsessionreview', 'postmarketreview', 'endofdayreview', 'eodreview', 'sessionreview', 'checklist'],
  ...['checklistbeforeentry', 'entrychecklist', 'tradenotes', 'tradereview', 'posttradereview', 'finalgrade', 'trade'],
  ...['tradesummary'],
];

/** Headings whose checkboxes are the goals of the day. */
const GOALS: readonly string[] = [
  ...['goals', 'goal', 'goalsoftheday', 'dailygoals', 'todaysgoals', 'rules', 'rulesoftheday', 'dailyrules'],
  ...['todaysrules', 'myrules', 'tradingrules'],
];

const MISSED_HEADINGS: readonly string[] = ['missedtrades', 'missedtrade', 'missed', 'missedsetups'];

export type Scope = 'trade' | 'session' | 'missed';

/** The field of derived values: known, but not stored. */
export const DERIVED_FIELD = 'derived';

const FIELDS: Record<Scope, ReadonlyMap<string, string>> = {
  trade: byName({ ...TRADE, ...FACTS }, DERIVED),
  session: byName(SESSION, []),
  missed: byName(
    {
      ...MISSED,
      symbol: FACTS['symbol'] ?? [],
      side: FACTS['side'] ?? [],
      time: FACTS['time'] ?? [],
      date: FACTS['date'] ?? [],
    },
    DERIVED,
  ),
};

function byName(names: Names, derived: readonly string[]): ReadonlyMap<string, string> {
  const known = Object.entries(names).flatMap(([field, own]) => own.map((name) => [name, field] as const));
  return new Map([...derived.map((name) => [name, DERIVED_FIELD] as const), ...known.toReversed()]);
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

export type Heading = { kind: 'container' | 'goals' | 'missed' } | { kind: 'text'; field: string };

const TEXTS = new Set([
  ...['went_well', 'went_wrong', 'lesson', 'body', 'plan', 'notes', 'review.went_well', 'review.went_wrong'],
  'review.lesson',
]);

/** Whether a field may have several lines of text. */
export function isText(field: string): boolean {
  return TEXTS.has(field) || field === 'reason';
}

/** The meaning of a heading that is neither a day nor a trade; undefined for the user's own. */
export function headingNamed(title: string, scope: Scope): Heading | undefined {
  const name = squashed(title.slice(0, 2 * LONGEST).replace(/^[^\p{L}\p{N}]*\d{1,2}[.)] /u, ''));
  if (scope === 'session' && GOALS.includes(name)) return { kind: 'goals' };
  if (MISSED_HEADINGS.includes(name)) return { kind: 'missed' };
  if (CONTAINERS.includes(name)) return { kind: 'container' };
  const field = fieldNamed(name, scope);
  return field !== undefined && TEXTS.has(field) ? { kind: 'text', field } : undefined;
}

/** Whether a property is the note's own and belongs to no record. */
export function isOfNote(name: string): boolean {
  return OF_DAYS.includes(squashed(name));
}
