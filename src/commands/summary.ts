/** `summary`: a period's figures in the terminal. They are the API's own. */
import { type ClientOptions, clientOptions, filesOf, keyIn } from '../config.ts';
import type { Ask } from '../http/client.ts';
import type { Unit } from '../journal/resource.ts';
import { userFor } from '../journal-write/open.ts';
import { type BalanceRow, cashInWords } from '../web/cash-in-words.ts';
import { boundsOf, hasFigures } from '../web/days.ts';
import {
  FIGURES,
  type FigureDefinition,
  figuresMissing,
  hasSample,
  isMoney,
  previousInWords,
  REALISED,
  rangeOf,
  sampleOf,
  TOTAL_R,
  toneIn,
  written,
} from '../web/figures.ts';
import { type Formats, formatsOf, NONE } from '../web/format.ts';
import {
  balanceInWords,
  basisInWords,
  bufferInWords,
  standingInWords,
  whyNoLimits,
} from '../web/limits-in-words.ts';
import { differenceInWords, differs, notReconciled } from '../web/realised-in-words.ts';
import type {
  AccountLimits,
  Analytics,
  JournalExtent,
  Performance,
} from '../web/types.ts';
import {
  accountName,
  counted,
  type JournalCommand,
  note,
  type Options,
  padded,
  print,
  printData,
  shellWord,
  widthOf,
} from './shared/command.ts';
import { answered, type Client, openClient, openOwnClient } from './shared/local-app.ts';
import {
  calendarLines,
  curveLines,
  type Painter,
  painterFor,
  resultsOf,
} from './shared/pictures.ts';
import { LEGS_AS_ONE, unitFor, unitOption } from './shared/unit-option.ts';

interface SummaryOptions extends Options, ClientOptions {
  period?: string;
  start?: string;
  end?: string;
  account?: string;
  unit?: Unit;
}

/** Width of a terminal that reports none. */
const COLUMNS = 80;

export function registerSummary(program: JournalCommand): void {
  program
    .command('summary')
    .description("print a period's figures, equity curve and calendar")
    .option(
      '--period <period>',
      'the period: 7d, 4w, 90d, 1y, last_month, 2026-10, all ... (default: 30d)',
    )
    .option('--start <day>', 'its first day, instead of --period')
    .option('--end <day>', 'its last day, instead of --period')
    .option('--account <name>', 'only trades and cash of this account', accountName)
    .addOption(unitOption())
    .userOption('owner of the journal')
    .option(
      '--json',
      'the response of /v1/summary; with --start, --end or --account, of /v1/analytics/summary',
    )
    .addOptions(clientOptions)
    .examples(
      'journal-api summary --period last_month',
      'journal-api summary --start 2026-01-01 --end 2026-03-31',
      'journal-api summary --period 1y --account ira',
    )
    .runs(summary);
}

async function summary(options: SummaryOptions): Promise<void> {
  const { period, start, end, account } = options;
  const client = openFor(options);
  const hasDays = start !== undefined || end !== undefined;
  const given = { period: period ?? (hasDays ? undefined : '30d'), start, end, account };
  const query = new URLSearchParams(
    Object.entries(given).filter((pair): pair is [string, string] => !!pair[1]),
  );

  try {
    query.set('unit', await unitFor(client.ask, options.unit));
    if (options.json) {
      const hasFilter = hasDays || account !== undefined;
      return printData(
        (
          await answered(
            client.ask,
            `/v1/${hasFilter ? 'analytics/' : ''}summary?${query}`,
          )
        ).text,
      );
    }
    const sections = 'sections=performance,daily,realised,previous,data_quality,limits';
    const { body } = await answered(
      client.ask,
      `/v1/analytics/summary?${query}&${sections}`,
    );
    const { data, hint } = body as { data: Analytics; hint?: string };
    const balance = await balanceOf(client.ask, query, data);
    const isByPosition = query.get('unit') === 'position';
    show(data, await differenceLine(client.ask, query, data), isByPosition);
    showBalance(balance, data);
    // A service of an earlier version has none.
    showLimits(
      data.limits ?? [],
      formatsOf({
        timezone: data.period.timezone,
        base_currency: data.performance.currency,
      }),
    );
    const hasTrades =
      hasFigures(data, hidesMoney(data)) || data.data_quality.without_rate > 0;
    if (!hasTrades) note(hint ?? (await emptyPeriodNote(client.ask, data, account)));
  } finally {
    client.close();
  }
}

/** Reads with a key if there is one, else directly from the files. */
function openFor(options: SummaryOptions): Client {
  if (options.url !== undefined || keyIn(options) !== undefined)
    return openClient(options);
  const files = filesOf(options);
  return openOwnClient(files, userFor(files.journal, options.user).id);
}

/** Note on an empty period: the dates of all trades, if the key reads the summary. */
async function emptyPeriodNote(
  ask: Ask,
  { period, performance }: Analytics,
  account: string | undefined,
): Promise<string> {
  if (account !== undefined) {
    const all = `journal-api summary --period all --account ${shellWord(account)}`;
    return `No trades of ${account} were closed in this period; see: ${all}`;
  }

  const none = 'No trades were closed in this period.';
  const { status, body } = await ask('/v1/summary?days=1');
  if (status !== 200) return none;

  const { first_trade_at, last_trade_at, closed_trades } = (
    body as { data: { journal: JournalExtent } }
  ).data.journal;
  if (first_trade_at === null || last_trade_at === null) {
    return `${none} The journal has no closed trades yet; import some with: journal-api import FILE`;
  }

  const format = formatsOf({
    timezone: period.timezone,
    base_currency: performance.currency,
  });
  const [first, last] = [first_trade_at, last_trade_at].map((at) =>
    format.day(format.dayOf(at)),
  );
  const when = first === last ? `on ${first}` : `from ${first} to ${last}`;

  return `${none} The journal has ${counted(closed_trades, 'closed trade')} ${when}; see: journal-api summary --period all`;
}

/** What closed trades made, and the exits that differ from them; undefined if none do. */
async function differenceLine(
  ask: Ask,
  query: URLSearchParams,
  { period, performance, data_quality }: Analytics,
): Promise<string | undefined> {
  if (!differs(performance)) return undefined;

  const asked = `/v1/analytics/summary?${query}&status=open&sections=performance`;
  const { body } = await answered(ask, asked);
  const others = {
    ofOpen: (body as { data: Analytics }).data.performance.realised_pnl,
    unmatched: data_quality.unmatched.realised_stated,
  };
  const format = formatsOf({
    timezone: period.timezone,
    base_currency: performance.currency,
  });

  return differenceInWords(performance, others, format);
}

/**
 * Balances of accounts with cash flows, or whose start is unknown; none for all others.
 */
async function balanceOf(
  ask: Ask,
  query: URLSearchParams,
  { performance, data_quality }: Analytics,
): Promise<BalanceRow[]> {
  // A service of an earlier version has no returns.
  const rests = (performance as Partial<Performance>).return?.rests_on;
  if (rests !== 'accounts' && data_quality.cash === undefined) return [];

  const { body } = await answered(ask, `/v1/analytics/summary?${query}&sections=balance`);
  return (body as { data: Analytics }).data.balance ?? [];
}

function showBalance(
  rows: readonly BalanceRow[],
  { period, performance }: Analytics,
): void {
  const format = formatsOf({
    timezone: period.timezone,
    base_currency: performance.currency,
  });
  if (rows.length > 0) print('');
  const unknown = rows.filter(({ start }) => start === null);
  for (const row of rows) {
    print(`Balance of ${cashInWords(row, format)}`);
    const ofAccount = unknown.filter(({ account }) => account === row.account);
    if (row === ofAccount.at(-1))
      print(`  ${startCommand(ofAccount, performance.currency)}`);
  }
}

/**
 * Ends the unknown start of an account, which has one, in one currency; it needs a name
 * first.
 * @param rows one for each currency
 */
function startCommand(rows: readonly BalanceRow[], baseCurrency: string): string {
  const [{ account, currency }] = rows as [BalanceRow];
  if (account === null) return 'journal-api account rename "(none)" main';

  const isBase = rows.some((row) => row.currency === baseCurrency);
  const unit = isBase ? '' : ` --currency ${currency}`;
  return `journal-api account set ${shellWord(account)} --starting-balance 25000${unit}`;
}

/** Whether the key hides money: results are in R. */
function hidesMoney({ performance }: Analytics): boolean {
  return performance.net_pnl === undefined;
}

function show(
  data: Analytics,
  difference: string | undefined,
  isByPosition: boolean,
): void {
  const { period, performance, data_quality } = data;
  const format = formatsOf({
    timezone: period.timezone,
    base_currency: performance.currency,
  });
  const isInR = hidesMoney(data);
  // The period of the whole journal has no first and last day.
  const { first, last } = boundsOf(data);

  const days = first ? `${format.day(first)} – ${format.day(last)}` : 'All time';
  print(`${days}, in ${isInR ? 'R' : performance.currency}, ${period.timezone}`);
  if (isByPosition) print(LEGS_AS_ONE);
  if (hasFigures(data, isInR))
    showFigures(data, format, isInR, isByPosition ? 'position' : 'trade');
  if (difference !== undefined) {
    print('');
    print(difference);
  }

  showLeftOut(data_quality, format, performance.currency);
}

function showFigures(
  { performance, previous, daily, realised }: Analytics,
  format: Formats,
  isInR: boolean,
  unit: Unit,
): void {
  const columns = process.stdout.columns || COLUMNS;
  // Only figures and names of months from here on, with colours.
  const paint = painterFor(process.stdout);
  print('');
  for (const line of figureLines(performance, previous, format, paint, isInR))
    printData(line);
  const missing = figuresMissing(figuresOf(isInR), performance, unit);
  if (missing.length > 0) print(`Not shown: ${missing.join('; ')}`);

  const results = resultsOf(isInR ? daily : realised, format);
  if (results.days.length === 0) return note(NO_R);

  print('');
  for (const line of curveLines(results, columns, paint)) printData(line);
  for (const line of calendarLines(results, columns, format, paint)) printData(line);
}

/** Trades that the figures lack, with the commands that change it. */
function showLeftOut(
  quality: Analytics['data_quality'],
  format: Formats,
  currency: string,
): void {
  const { without_rate, currencies_left_out, expired_open } = quality;
  if (without_rate > 0) {
    const left = counted(without_rate, 'trade');
    print('');
    print(
      `Not counted: ${left} in ${currencies_left_out.join(', ')} without an exchange rate ` +
        `to ${currency}; set one: journal-api rates set ${currencies_left_out.join(' ')}`,
    );
  }

  if (expired_open > 0) {
    const options = expired_open === 1 ? '1 option is' : `${expired_open} options are`;
    print('');
    print(`${options} still open after expiration; to close: journal-api expire --all`);
  }

  for (const { text, commands } of notReconciled(quality, format)) {
    print('');
    print(`Not reconciled: ${text}`);
    for (const command of commands) print(`  ${command}`);
  }
}

/** Two lines for each account. */
function showLimits(all: readonly AccountLimits[], format: Formats): void {
  if (all.length > 0) print('');
  for (const limits of all) {
    const reason = whyNoLimits(limits);
    const buffer =
      reason === undefined ? bufferInWords(limits, format) : [`no figures: ${reason}`];
    const balance = reason === undefined ? balanceInWords(limits, format) : [];
    const standing = reason === undefined ? standingInWords(limits, format) : [];
    const words = [...buffer, ...balance].join('; ');
    print(`Limits of ${limits.account}: ${words || 'amounts are hidden'}`);
    print(
      `  ${[standing.join('; '), basisInWords([limits])].filter(Boolean).join('. ')}`,
    );
  }
}

const NO_R =
  'No trade of this period has a risk, and R needs one. ' +
  'The owner sets stops or risks, such as: journal-api annotate TRADE --stop 6790';

/** One figure per line, with its confidence interval and the previous period's figure. */
function figureLines(
  now: Performance,
  before: Performance | null,
  format: Formats,
  paint: Painter,
  isInR: boolean,
): string[] {
  const all = figuresOf(isInR).filter((figure) => hasSample(figure, now));
  const rows = all
    .map((figure) => ({
      name: figure.name,
      value: written(figure, now, format),
      tone: toneIn(figure, now),
      details: [
        sampleOf(figure, now),
        rangeOf(figure, now, format),
        previousInWords(figure, before, format),
      ],
    }))
    .filter(({ value }) => value !== NONE);
  const width = (cells: readonly string[]) => Math.max(...cells.map(widthOf));
  const names = width(rows.map(({ name }) => name));
  const values = width(rows.map(({ value }) => value));

  return rows.map(({ name, value, tone, details: notes }) => {
    const details = paint(
      'muted',
      notes.map((note) => (note ? `   ${note}` : '')).join(''),
    );
    return `${paint('muted', padded(name, names))}  ${paint(tone, value.padStart(values))}${details}`;
  });
}

function figuresOf(isInR: boolean): readonly FigureDefinition[] {
  return isInR
    ? [TOTAL_R, ...FIGURES.filter((figure) => !isMoney(figure))]
    : [REALISED, ...FIGURES];
}
