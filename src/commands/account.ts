/** `account`: lists accounts, renames them, and sets what they started with. */
import type { RenameReport } from '../edit/accounts.ts';
import { amountOf, currencyOf } from './shared/amounts.ts';
import {
  accountName,
  counted,
  type JournalCommand,
  note,
  type Options,
  printList,
  shellWord,
  showReport,
  targetOf,
  undoHint,
} from './shared/command.ts';
import { agreedTo } from './shared/terminal.ts';

export function registerAccount(program: JournalCommand): void {
  const account = program
    .command('account')
    .description('list accounts, rename them, and set starting balances');
  account
    .command('list')
    .description('list accounts, with other names that lead to them')
    .userOption('owner of the trades')
    .lists()
    .examples('journal-api account list')
    .runs(list);
  account
    .command('rename')
    .description(
      'rename an account, for its trades, fills, fees and limits, and for later files',
    )
    .argument('<old>', 'its name; "(none)" for trades without an account')
    .argument('<new>', 'the new name')
    .option(
      '--merge',
      'join it with an account that has trades, or whose files lead elsewhere',
    )
    .option(
      '--yes',
      'proceed although a key shows more then; required without a terminal',
    )
    .changes('trades')
    .explained(
      'Later files that name the old account lead to the new one. ' +
        '"journal-api import undo" reverts it.',
    )
    .examples(
      'journal-api account rename Sim101 main',
      'journal-api account rename "(none)" main --merge',
    )
    .runs(rename);
  account
    .command('set')
    .description('set what an account started with')
    .argument('<account>', 'its name')
    .requiredOption(
      '--starting-balance <amount>',
      'cash before its first record; none removes it',
    )
    .option(
      '--currency <code>',
      "currency of the balance (default: the user's base currency)",
    )
    .changes('cash')
    .explained('"journal-api import undo" reverts it.')
    .examples(
      'journal-api account set main --starting-balance 25000',
      'journal-api account set main --starting-balance none',
    )
    .runs(set);
}

interface SetOptions extends Options {
  startingBalance: string;
  currency?: string;
}

async function set(account: string, options: SetOptions): Promise<void> {
  const name = accountName(account);
  const { startingBalance: typed } = options;
  const balance = typed === 'none' ? null : amountOf(typed, '--starting-balance');
  const currency = currencyOf(options.currency);
  const { setStartingBalance } = await import('../edit/accounts.ts');
  const unit = currency === undefined ? '' : ` --currency ${currency}`;
  const line = `account set ${shellWord(name)} --starting-balance ${typed}${unit}`;
  const report = setStartingBalance(
    { ...targetOf(options), currency },
    name,
    balance,
    line,
  );

  showReport(report, options, () => {
    const {
      account: named,
      starting_balance: is,
      replaced,
      is_known,
      did_you_mean: near,
    } = report;
    const former =
      replaced === null
        ? ''
        : `, instead of ${replaced.starting_balance.toFixed(2)} ${replaced.currency}`;
    note(
      is === null
        ? `${named} has no starting balance of its own any more.`
        : `${named} started with ${is.toFixed(2)} ${report.currency}${former}.`,
    );
    if (is !== null && !is_known) {
      const meant = near === null ? '.' : `; did you mean ${near}?`;
      note(`No trade or cash flow is in ${named} yet${meant}`);
    }
    if (report.import !== null) note(undoHint(report.import));
  });
}

async function list(options: Options): Promise<void> {
  const { listAccounts, NO_ACCOUNT } = await import('../edit/accounts.ts');
  printList(
    options,
    listAccounts(targetOf(options)),
    'No trades yet. Import some: journal-api import FILE',
    {
      ACCOUNT: ({ account }) => account ?? NO_ACCOUNT,
      'OTHER NAMES': ({ other_names }) =>
        other_names.map((name) => name ?? NO_ACCOUNT).join(', ') || '-',
      TRADES: 'trades',
      FIRST: 'first',
      LAST: 'last',
      'NET P&L': ({ net_pnl, without_rate }) =>
        net_pnl.toFixed(2) +
        (without_rate > 0 ? ` (${without_rate} without a rate)` : ''),
    },
  );
}

interface RenameOptions extends Options {
  merge?: boolean;
  yes?: boolean;
}

async function rename(from: string, to: string, options: RenameOptions): Promise<void> {
  const name = accountName(to);
  const { NO_ACCOUNT, renameAccount } = await import('../edit/accounts.ts');
  const line = `account rename ${shellWord(from)} ${shellWord(name)}${options.merge ? ' --merge' : ''}`;
  const target = { ...targetOf(options), merge: options.merge };
  const report = await agreedTo(
    (attempt) =>
      renameAccount(
        { ...target, ...attempt },
        from === NO_ACCOUNT ? null : from,
        name,
        line,
      ),
    options,
  );

  showReport(report, options, () => {
    note(resultOf(report, from, name, from === NO_ACCOUNT));
    for (const { id, name: key, before, after } of report.keys) {
      note(`Key ${id} (${key}) shows ${after} trades; before ${before}.`);
    }
    if (report.import !== null) note(undoHint(report.import));
  });
}

function resultOf(
  { trades, cash_flows: flows }: Pick<RenameReport, 'trades' | 'cash_flows'>,
  from: string,
  name: string,
  isNone: boolean,
): string {
  if (trades + flows === 0)
    return `Nothing changed: the account is named ${name} already.`;

  if (from.toLowerCase() === name.toLowerCase())
    return `${from} is spelled ${name} now, in ${counted(trades, 'trade')} and in later files.`;

  const moved = [
    counted(trades, 'trade'),
    ...(flows > 0 ? [counted(flows, 'cash flow')] : []),
  ];
  const later = isNone ? 'without an account' : `that name ${from}`;
  return `${moved.join(' and ')} moved to ${name}; later files ${later} lead there, too.`;
}
