/** `summary`: a period's figures in the terminal. They are the API's own. */
import { type ClientOptions, clientOptions, filesOf, keyIn } from '../config.ts';
import type { Ask } from '../http/client.ts';
import { userFor } from '../journal-write/read.ts';
import {
  FIGURES,
  isMoney,
  NET,
  rangeOf,
  sampleOf,
  TOTAL_R,
  toneIn,
  written,
} from '../web/figures.ts';
import { type Formats, formatsOf, NONE } from '../web/format.ts';
import { BASIS, roomInWords, standingInWords, whyNoLimits } from '../web/limits-in-words.ts';
import type { AccountLimits, Analytics, JournalExtent, Performance } from '../web/types.ts';
import {
  counted,
  type JournalCommand,
  note,
  type Options,
  padded,
  print,
  printData,
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

interface SummaryOptions extends Options, ClientOptions {
  period?: string;
  start?: string;
  end?: string;
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
    .userOption('owner of the journal')
    .option(
      '--json',
      'the response of /v1/summary; with --start or --end, of /v1/analytics/summary',
    )
    .addOptions(clientOptions)
    .examples(
      'journal-api summary --period last_month',
      'journal-api summary --start 2026-01-01 --end 2026-03-31',
    )
    .runs(summary);
}

async function summary(options: SummaryOptions): Promise<void> {
  const client = openFor(options);
  const { period, start, end } = options;
  const hasDays = start !== undefined || end !== undefined;
  const given = { period: period ?? (hasDays ? undefined : '30d'), start, end };
  const query = new URLSearchParams(
    Object.entries(given).filter((pair): pair is [string, string] => !!pair[1]),
  );
  try {
    if (options.json) {
      return printData(
        (await answered(client.ask, `/v1/${hasDays ? 'analytics/' : ''}summary?${query}`)).text,
      );
    }
    const sections = 'sections=performance,daily,realised,previous,data_quality,limits';
    const { body } = await answered(client.ask, `/v1/analytics/summary?${query}&${sections}`);
    const { data } = body as { data: Analytics };
    show(data);
    // A service of an earlier version has none.
    showLimits(
      data.limits ?? [],
      formatsOf({ timezone: data.period.timezone, base_currency: data.performance.currency }),
    );
    if (data.performance.trades + data.data_quality.without_rate === 0)
      note(await emptyPeriodNote(client.ask, data));
  } finally {
    client.close();
  }
}

/** Reads with a key if there is one, else directly from the files. */
function openFor(options: SummaryOptions): Client {
  if (options.url !== undefined || keyIn(options) !== undefined) return openClient(options);
  const files = filesOf(options);
  return openOwnClient(files, userFor(files.journal, options.user).id);
}

/** Note on an empty period: the dates of all trades, if the key reads the summary. */
async function emptyPeriodNote(ask: Ask, { period, performance }: Analytics): Promise<string> {
  const none = 'No trades were closed in this period.';
  const { status, body } = await ask('/v1/summary?days=1');
  if (status !== 200) return none;
  const { first_trade_at, last_trade_at, closed_trades } = (
    body as { data: { journal: JournalExtent } }
  ).data.journal;
  if (first_trade_at === null || last_trade_at === null) {
    return `${none} The journal has no closed trades yet; import some with: journal-api import FILE`;
  }
  const format = formatsOf({ timezone: period.timezone, base_currency: performance.currency });
  const [first, last] = [first_trade_at, last_trade_at].map((at) => format.day(format.dayOf(at)));
  const when = first === last ? `on ${first}` : `from ${first} to ${last}`;
  return `${none} The journal has ${counted(closed_trades, 'closed trade')} ${when}; see: journal-api summary --period all`;
}

function show(data: Analytics): void {
  const { period, performance, daily, data_quality } = data;
  const format = formatsOf({ timezone: period.timezone, base_currency: performance.currency });
  // A key may hide money.
  const isInR = performance.net_pnl === undefined;
  // The period of the whole journal has no first and last day.
  const [first, last] = [
    period.start_date ?? daily[0]?.date,
    period.end_date ?? daily.at(-1)?.date,
  ];
  print(
    `${format.day(first)} – ${format.day(last)}, in ` +
      `${isInR ? 'R' : performance.currency}, ${period.timezone}`,
  );
  if (performance.trades > 0) showFigures(data, format, isInR);
  showRealised(performance, format);
  showLeftOut(data_quality, performance.currency);
}

/** Where exits and closed trades made different amounts; a key may hide both. */
function showRealised({ net_pnl, realised_pnl }: Performance, format: Formats): void {
  // A service of an earlier version has no realised P&L.
  if (realised_pnl === undefined || realised_pnl === net_pnl) return;
  print('');
  print(
    `Realised P&L: ${format.gain(realised_pnl)}, by exit. Closed trades made ${format.gain(net_pnl)}; ` +
      'the rest are exits of trades still open, or closed in another period',
  );
}

function showFigures(
  { performance, previous, daily, realised }: Analytics,
  format: Formats,
  isInR: boolean,
): void {
  const columns = process.stdout.columns || COLUMNS;
  // Only figures and names of months from here on, with colours.
  const paint = painterFor(process.stdout);
  print('');
  for (const line of figureLines(performance, previous, format, paint, isInR)) printData(line);

  const results = resultsOf(isInR ? daily : (realised ?? daily), format);
  if (results.days.length === 0) return note(NO_R);
  print('');
  for (const line of curveLines(results, columns, paint)) printData(line);
  for (const line of calendarLines(results, columns, format, paint)) printData(line);
}

type UnmatchedCloses = Analytics['data_quality']['unmatched'];

/** Trades that the figures lack, with the commands that change it. */
function showLeftOut(
  { without_rate, currencies_left_out, expired_open, unmatched }: Analytics['data_quality'],
  currency: string,
): void {
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
  for (const line of unmatchedLines(unmatched, currency)) print(line);
}

/** Closes that no trade has, with the commands that bring their openings. */
function unmatchedLines(
  { closes, symbols, distinct, realised_stated, without_statement }: UnmatchedCloses,
  currency: string,
): string[] {
  if (closes === 0) return [];

  const others = distinct > symbols.length ? ` and ${distinct - symbols.length} more` : '';
  const stated = closes - without_statement;
  const pnl =
    stated === 0 || realised_stated === undefined
      ? 'their rows state no P&L'
      : `${stated} state a P&L, ${realised_stated.toFixed(2)} ${currency} in all`;
  return [
    '',
    `In no trade: ${counted(closes, 'unmatched close')} of ${symbols.join(', ')}${others}, opened before the files begin; ${pnl}`,
    'To add an opening: import its file, or journal-api fill',
  ];
}

/** Two lines for each account. */
function showLimits(all: readonly AccountLimits[], format: Formats): void {
  if (all.length > 0) print('');
  for (const limits of all) {
    const reason = whyNoLimits(limits);
    const room = reason === undefined ? roomInWords(limits, format) : [`no figures: ${reason}`];
    const standing = reason === undefined ? standingInWords(limits, format) : [];
    print(`Limits of ${limits.account}: ${room.join('; ') || 'amounts are hidden'}`);
    print(`  ${[standing.join('; '), BASIS].filter(Boolean).join('. ')}`);
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
  const figures = isInR
    ? [TOTAL_R, ...FIGURES.filter((figure) => !isMoney(figure))]
    : [NET, ...FIGURES];
  const all = figures.map((figure) => ({
    name: figure.name,
    value: written(figure, now, format),
    tone: toneIn(figure, now),
    details: [
      sampleOf(figure, now),
      rangeOf(figure, now, format),
      before && before.trades > 0
        ? `before: ${[written(figure, before, format), sampleOf(figure, before)].filter(Boolean).join(' ')}`
        : null,
    ],
  }));
  // Where amounts are hidden, figures without a value are those that need a risk.
  const rows = all.filter(({ value }) => !isInR || value !== NONE);
  const width = (cells: readonly string[]) => Math.max(...cells.map(widthOf));
  const names = width(rows.map(({ name }) => name));
  const values = width(rows.map(({ value }) => value));
  return rows.map(({ name, value, tone, details: notes }) => {
    const details = paint('muted', notes.map((note) => (note ? `   ${note}` : '')).join(''));
    return `${paint('muted', padded(name, names))}  ${paint(tone, value.padStart(values))}${details}`;
  });
}
