/** `cash`: records money that came into an account or left it, if no file states it. */
import { Argument } from 'commander';
import { UsageError } from '../errors.ts';
import { maskNumbers } from '../journal/fields.ts';
import {
  FLOW_KINDS,
  type FlowKind,
  MAX_DESCRIPTION,
} from '../journal/resources/cash-flows.ts';
import { isDate } from '../time.ts';
import { amountOf, currencyOf } from './shared/amounts.ts';
import {
  accountName,
  type JournalCommand,
  note,
  type Options,
  shellWord,
  showReport,
  targetOf,
  undoHint,
} from './shared/command.ts';

import { agreedTo } from './shared/terminal.ts';

interface CashOptions extends Options {
  account?: string;
  currency?: string;
  symbol?: string;
  description?: string;
  again?: boolean;
  yes?: boolean;
}

/** Money out, unless a sign is typed. */
const OUT: readonly FlowKind[] = ['withdrawal', 'fee', 'tax', 'payout'];

export function registerCash(program: JournalCommand): void {
  const cash = program
    .command('cash')
    .description('record deposits, withdrawals and other cash flows that no file states');
  cash
    .command('add')
    .description('record a cash flow of a day')
    .argument('<date>', 'its day, such as 2026-11-20')
    .addArgument(new Argument('<kind>', 'kind of cash flow').choices(FLOW_KINDS))
    .argument('<amount>', 'amount; with a sign, money in (+) or out (-)')
    .option('--account <name>', 'its account (default: none)', accountName)
    .option('--currency <code>', "its currency (default: the user's base currency)")
    .option('--symbol <symbol>', 'symbol of a dividend, or of a fee or tax on a position')
    .option('--description <text>', `a text of at most ${MAX_DESCRIPTION} characters`)
    .option('--again', 'record one that was recorded by hand before as another')
    .option(
      '--yes',
      'proceed although keys show it; required for the first one without a terminal',
    )
    .changes('cash')
    .explained(
      `Without a sign, a withdrawal, fee, tax or payout is money out, the others are money in;
"deposit -100" reverses a deposit. A cash flow that a file of the account states, too, whether
imported before or later, counts once. "journal-api import undo" reverts it.`,
    )
    .examples(
      'journal-api cash add 2026-11-20 deposit 5000 --account main',
      'journal-api cash add 2026-11-30 fee 12.50 --account main --description "data feed"',
    )
    .runs(add);
}

async function add(
  date: string,
  kind: FlowKind,
  typed: string,
  options: CashOptions,
): Promise<void> {
  if (!isDate(date))
    throw new UsageError(`the date must be a day, such as 2026-11-20; got "${date}"`);

  const { description = '' } = options;
  const { account } = options;
  const symbol = options.symbol?.trim();
  if (description.length > MAX_DESCRIPTION)
    throw new UsageError(`--description takes at most ${MAX_DESCRIPTION} characters`);

  const amount = signed(amountOf(typed, 'the amount'), typed, kind);
  if (amount === 0) throw new UsageError('the amount must not be 0');

  const named = {
    account,
    currency: currencyOf(options.currency),
    symbol,
    description: maskNumbers(description.trim()) || undefined,
  };
  const flags = Object.entries(named).flatMap(([name, value]) =>
    value === undefined ? [] : ` --${name} ${shellWord(value)}`,
  );
  const line = `cash add ${date} ${kind} ${typed}${flags.join('')}`;

  const { addCash } = await import('../edit/cash.ts');
  const flow = { ...named, date, kind, amount, again: options.again };
  const report = await agreedTo(
    (attempt) => addCash({ ...targetOf(options), ...attempt, ...flow }, line),
    options,
  );

  showReport(report, options, () => {
    const { flow: stored, same_as, did_you_mean: meant } = report;
    const where = stored.account === null ? '' : ` in ${stored.account}`;
    note(`${stored.date} ${stored.kind} ${stored.amount} ${stored.currency}${where}.`);
    if (meant !== null)
      note(`It is in no account; did you mean --account ${shellWord(meant)}?`);
    if (same_as !== null) note(`Import ${same_as} states it, too; it counts once.`);
    if (report.import !== null) note(undoHint(report.import));
  });
}

function signed(amount: number, typed: string, kind: FlowKind): number {
  const hasSign = /^[+-]/.test(typed);
  return !hasSign && OUT.includes(kind) ? 0 - amount : amount;
}
