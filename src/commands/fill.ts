/** `fill`: records fills by hand, which an export lacks. */
import { Option } from 'commander';
import { UsageError } from '../errors.ts';
import { MARKETS } from '../journal/resource.ts';
import { withoutKeys } from '../keys/format.ts';
import type { Fill } from '../statements/fill-row.ts';
import { isTimeZone } from '../time.ts';
import {
  accountName,
  counted,
  type JournalCommand,
  note,
  type Options,
  printData,
  printTable,
  shellWord,
  targetOf,
  undoHint,
} from './shared/command.ts';

interface FillOptions extends Options {
  account?: string;
  fees?: string;
  market?: Fill['market'];
  multiplier?: string;
  currency?: string;
  timezone?: string;
  again?: boolean;
}

export function registerFill(program: JournalCommand): void {
  program
    .command('fill')
    .description('record fills that no export has')
    .argument(
      '<fill>',
      'date, time, side, quantity, symbol and price; - reads lines of them',
    )
    .option(
      '--account <name>',
      "the fill's account (default: the one with a position in the symbol)",
      accountName,
    )
    .option('--fees <amount>', 'fees of each fill (default: unknown)')
    .addOption(
      new Option(
        '--market <market>',
        "the symbol's market (default: the journal's, else by the symbol)",
      ).choices(MARKETS),
    )
    .option('--multiplier <number>', 'contract size, if unknown')
    .option(
      '--currency <code>',
      "currency of the price (default: the journal's for the symbol)",
    )
    .option('--timezone <zone>', "IANA zone of the times (default: the user's)")
    .option('--again', 'record a fill that was recorded by hand before as another')
    .changes('fills')
    .explained(
      `A fill is a line such as 2025-10-01 09:31 buy 30 ONDS 7.39. Without a time it belongs to that
day. The side is buy or sell, also "sell short", "buy to open" or "sell to close"; a symbol with
spaces needs quotation marks; options have OCC's symbols (SPY260619C00450000) or the journal's
("SPY 2026-06-19 C450"). With -, each line of standard input is a fill, empty lines and those that
begin with # are skipped, and a wrong line records none. A fill that a file of the account states,
too, whether imported before or later, counts once. "journal-api import undo" reverts it.`,
    )
    .examples(
      'journal-api fill "2025-10-01 09:31 buy 30 ONDS 7.39" --account main',
      `journal-api fill '2026-05-04 buy to open 1 "SPY 2026-06-19 C450" 12.5' --fees 0.65`,
      'journal-api fill - --account main < fills.txt',
    )
    .runs(run);
}

const LONGEST = 200;
const MOST_LINES = 10_000;

async function run(fill: string, options: FillOptions): Promise<void> {
  const { account, fees, market, multiplier, currency, timezone, again } = options;
  const named = { account, currency: currency?.toUpperCase(), timezone };
  if (timezone !== undefined && !isTimeZone(timezone))
    throw new UsageError(
      `--timezone takes an IANA zone, such as America/New_York; got "${timezone}"`,
    );

  const lines = fill === '-' ? await typedLines() : [{ text: fill, line: 1 }];
  const words = [
    'fill',
    fill === '-' ? `- (${counted(lines.length, 'line')})` : shellWord(fill),
  ];
  const flags = Object.entries({ ...named, fees, market, multiplier }).flatMap(
    ([name, value]) => (value === undefined ? [] : [`--${name}`, shellWord(value)]),
  );
  const title = [...words, ...flags, ...(again ? ['--again'] : [])].join(' ');

  const { recordFills } = await import('../edit/fill.ts');
  const { readAgainLines } = await import('../import/report/read-back.ts');
  const { loadForTrades } = await import('../import/on-demand.ts');
  const target = targetOf(options);
  const given = {
    ...target,
    lines,
    account,
    currency: named.currency,
    market,
    again,
    timeZone: timezone,
    fees: numberOf('--fees', fees),
    multiplier: numberOf('--multiplier', multiplier),
  };
  await loadForTrades(target.journal);
  const report = recordFills(
    given,
    title.length > LONGEST ? `${title.slice(0, LONGEST)}…` : title,
  );
  if (options.json) return printData(withoutKeys(JSON.stringify(report, null, 2)));

  show(report, readAgainLines(report), options.dryRun === true);
}

type Report = ReturnType<typeof import('../edit/fill.ts')['recordFills']>;

/** @param again lines on notes that were read again */
function show(
  { fills, trades, notices, import: id }: Report,
  again: readonly string[],
  isDry: boolean,
): void {
  printTable(fills, {
    TIME: ({ executed_at, has_time }) =>
      has_time ? executed_at : `${executed_at} (day)`,
    SIDE: 'side',
    QUANTITY: 'quantity',
    SYMBOL: 'symbol',
    PRICE: 'price',
    FEES: 'fees',
    ACCOUNT: 'account',
  });
  for (const { symbol, side, same_as, unmatched } of fills) {
    if (same_as !== null)
      note(`Import ${same_as} states this fill of ${symbol}, too; it counts once.`);
    if (unmatched > 0) {
      const remedy = side === 'sell' ? '; to open a short: sell short.' : '.';
      note(
        `${unmatched} of ${symbol} close no position, and wait for its opening${remedy}`,
      );
    }
  }

  const { added, changed, removed } = trades;
  note(`Trades: ${added} added, ${changed} changed, ${removed} removed.`);
  for (const line of again) note(line);
  for (const { message, command } of notices) note(`${message}: ${command}`);
  note(isDry ? 'Dry run: nothing was written.' : undoHint(id));
}

/** @throws UsageError unless the text is a number of 0 or more */
function numberOf(flag: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (/^(\d+(\.\d*)?|\.\d+)$/.test(text) && value < 1e12) return value;
  throw new UsageError(`${flag} takes a number, such as 1.25; got "${text}"`);
}

/** The fills on standard input. */
async function typedLines(): Promise<{ text: string; line: number }[]> {
  const { standardInput, textOf } = await import('../import/files/contents.ts');
  const text = textOf({ file: 'standard input', bytes: standardInput() });
  const lines = text
    .split(/\r?\n/)
    .map((line, place) => ({ text: line, line: place + 1 }))
    .filter((line) => line.text.trim() !== '' && !line.text.trimStart().startsWith('#'));
  if (lines.length === 0) throw new UsageError('standard input has no fills');
  if (lines.length > MOST_LINES)
    throw new UsageError(
      `standard input has ${lines.length} fills; pass at most ${MOST_LINES}, ` +
        'or import a file with --map',
    );

  return lines;
}
