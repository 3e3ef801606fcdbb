/** `excursions`: fills in how far trades went, from candles. */

import type { CandleFile } from '../edit/excursions.ts';
import { UsageError } from '../errors.ts';
import { isTimeZone } from '../time.ts';
import {
  counted,
  type JournalCommand,
  note,
  type Options,
  showReport,
  targetOf,
  undoHint,
} from './shared/command.ts';
import { datesOption } from './shared/dates-option.ts';

interface ExcursionsOptions extends Options {
  symbol?: string;
  timezone?: string;
  dates?: 'dmy' | 'mdy';
}

export function registerExcursions(program: JournalCommand): void {
  program
    .command('excursions')
    .description(
      'fill in mae and mfe of closed trades from candles, which are not stored',
    )
    .argument('<files...>', 'CSV files of candles, one symbol each')
    .option(
      '--symbol <symbol>',
      'symbol of the candles, or the underlying of futures (default: by the name of the file)',
    )
    .option(
      '--timezone <zone>',
      'time zone of times without an offset (default: your own)',
    )
    .addOption(datesOption())
    .changes('trades')
    .explained(
      `Reads exports of TradingView, NinjaTrader, MetaTrader and Binance, and any CSV file with columns named time, open, high, low and close.
mae and mfe are what a trade certainly reached, mae_bound and mfe_bound what it did not go beyond. Figures of a platform stay.`,
    )
    .examples(
      'journal-api excursions "CME_MINI_MNQ1!, 1.csv"',
      'journal-api excursions EURUSD_M5.csv --timezone Europe/Athens',
      'journal-api excursions BTCUSDT-1m-2026-*.csv --dry-run',
    )
    .runs(excursions);
}

async function excursions(files: string[], options: ExcursionsOptions): Promise<void> {
  const { symbol, timezone, dates } = options;
  if (timezone !== undefined && !isTimeZone(timezone))
    throw new UsageError(
      `unknown time zone "${timezone}"; pass an IANA name, such as America/New_York`,
    );

  const { addExcursions } = await import('../edit/excursions.ts');
  const report = addExcursions({
    ...targetOf(options),
    files,
    symbol,
    timeZone: timezone,
    dates,
  });
  showReport(report, options, () => {
    for (const file of report.files) for (const line of linesOf(file)) note(line);
    const { trades, uncertain, changed, without } = report;
    const undo = report.import === null ? '' : ` ${undoHint(report.import)}`;

    note(
      `${counted(trades, 'trade')} with mae and mfe from these candles, ` +
        `${changed} new or changed.${undo}`,
    );
    if (uncertain > 0)
      note(
        `${counted(uncertain, 'trade')} of them may have gone further: ` +
          'see mae_bound and mfe_bound.',
      );

    for (const [reason, count] of Object.entries(without))
      note(`Without: ${counted(count, 'trade')} ${reason}.`);
  });
}

function linesOf({
  file,
  symbol,
  candles,
  seconds,
  first,
  last,
  skipped,
  notes,
  ...counts
}: CandleFile): string[] {
  const rows = Object.entries(skipped).map(([reason, count]) => `${count} ${reason}`);
  return [
    `${file}: ${candles} candles of ${lengthOf(seconds)} in ${symbol}, ` +
      `${first} to ${last}; ${counts.covered} of ${counted(counts.trades, 'trade')} ` +
      'covered.',
    ...(rows.length > 0 ? [`  Skipped candles: ${rows.join(', ')}.`] : []),
    ...notes.map((text) => `  Note: ${text}.`),
  ];
}

const UNITS = [
  [604_800, 'week'],
  [86_400, 'day'],
  [3600, 'hour'],
  [60, 'minute'],
] as const;

function lengthOf(seconds: number): string {
  const [size, name] =
    UNITS.find(([length]) => seconds % length === 0) ?? ([1, 'second'] as const);
  return counted(seconds / size, name);
}
