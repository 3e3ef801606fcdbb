/** The names that people give to fields, as data. A name counts without case, spaces and marks: "Stop Loss", stop-loss and stopLoss are one. */

/** Names by field. The first is the field's own. */
type Names = Readonly<Record<string, readonly string[]>>;

/** What a trade and its entry have. */
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

/** What people write of a trade that its fills state: it helps to find the trade, and is compared. */
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

/** What follows from the rest, and is compared with nothing. */
const FOLLOWS: readonly string[] = [
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

/** What a day's note says of its trades as a whole, and of itself. */
const OF_DAYS: readonly string[] = [
  ...['type', 'aliases', 'alias', 'cssclass', 'cssclasses', 'publish', 'permalink', 'trades', 'pnl', 'p&l', 'netpnl'],
  ...['totalr', 'winrate', 'wins', 'losses', 'title', 'created', 'modified', 'weekday'],
];

/** Headings that only hold others, and what is below them. */
const CONTAINERS: readonly string[] = [
  ...['trades', 'tradestaken', 'tradesexecuted', 'tradelog', 'todaystrades', 'mytrades', 'review', 'dailyreview'],
  ...['postsessionreview', 'postmarketreview', 'endofdayreview', 'eodreview', 'sessionreview', 'checklist'],
  ...['checklistbeforeentry', 'entrychecklist', 'tradenotes', 'tradereview', 'posttradereview', 'finalgrade', 'trade'],
  ...['tradesummary'],
];

/** Headings whose check boxes are the goals of the day. */
const GOALS: readonly string[] = [
  ...['goals', 'goal', 'goalsoftheday', 'dailygoals', 'todaysgoals', 'rules', 'rulesoftheday', 'dailyrules'],
  ...['todaysrules', 'myrules', 'tradingrules'],
];

const MISSED_HEADINGS: readonly string[] = ['missedtrades', 'missedtrade', 'missed', 'missedsetups'];

export type Scope = 'trade' | 'session' | 'missed';

/** A field without a value of its own: known, and not kept. */
export const FOLLOWING = 'follows';

const FIELDS: Record<Scope, ReadonlyMap<string, string>> = {
  trade: byName({ ...TRADE, ...FACTS }, FOLLOWS),
  session: byName(SESSION, []),
  missed: byName(
    {
      ...MISSED,
      symbol: FACTS['symbol'] ?? [],
      side: FACTS['side'] ?? [],
      time: FACTS['time'] ?? [],
      date: FACTS['date'] ?? [],
    },
    FOLLOWS,
  ),
};

function byName(names: Names, follow: readonly string[]): ReadonlyMap<string, string> {
  const known = Object.entries(names).flatMap(([field, own]) => own.map((name) => [name, field] as const));
  return new Map([...follow.map((name) => [name, FOLLOWING] as const), ...known.toReversed()]);
}

/** A name as the tables have it. */
function squashed(name: string): string {
  return name.toLowerCase().replaceAll(/[^\p{L}\p{N}%&$]/gu, '');
}

/** No name is longer. */
const LONGEST = 60;

/** The field that a name means; undefined if none. "Target(s)", and "Emotional State (Entry)" without what is in brackets. */
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

/** Fields that hold text of several lines. */
export function isText(field: string): boolean {
  return TEXTS.has(field) || field === 'reason';
}

/** What a heading means that is no day and no trade; undefined if it is the person's own. */
export function headingNamed(title: string, scope: Scope): Heading | undefined {
  const name = squashed(title.slice(0, 2 * LONGEST).replace(/^[^\p{L}\p{N}]*\d{1,2}[.)] /u, ''));
  if (scope === 'session' && GOALS.includes(name)) return { kind: 'goals' };
  if (MISSED_HEADINGS.includes(name)) return { kind: 'missed' };
  if (CONTAINERS.includes(name)) return { kind: 'container' };
  const field = fieldNamed(name, scope);
  return field !== undefined && TEXTS.has(field) ? { kind: 'text', field } : undefined;
}

/** Whether a property says nothing of a record. */
export function isOfNote(name: string): boolean {
  return OF_DAYS.includes(squashed(name));
}
