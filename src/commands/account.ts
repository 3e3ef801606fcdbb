/** `account`: lists accounts and renames them. */
import { UsageError } from '../errors.ts';
import {
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
  const account = program.command('account').description('list accounts and rename them');
  account
    .command('list')
    .description('list accounts, with other names that lead to them')
    .userOption('owner of the trades')
    .lists()
    .examples('journal-api account list')
    .runs(list);
  account
    .command('rename')
    .description('rename an account, for its trades, fills, fees and limits, and for later files')
    .argument('<old>', 'its name; "(none)" for trades without an account')
    .argument('<new>', 'the new name')
    .option('--merge', 'join it with an account that has trades, or whose files lead elsewhere')
    .option('--yes', 'proceed although a key shows more then; required without a terminal')
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
      'NET P&L': ({ net_pnl }) => net_pnl.toFixed(2),
    },
  );
}

interface RenameOptions extends Options {
  merge?: boolean;
  yes?: boolean;
}

async function rename(from: string, to: string, options: RenameOptions): Promise<void> {
  const { NO_ACCOUNT, renameAccount } = await import('../edit/accounts.ts');
  const name = to.trim();
  if (name === '' || name === NO_ACCOUNT) {
    throw new UsageError(`the new account needs a name, such as main; got "${to}"`);
  }

  const line = `account rename ${shellWord(from)} ${shellWord(name)}${options.merge ? ' --merge' : ''}`;
  const target = { ...targetOf(options), merge: options.merge };
  const report = await agreedTo(
    (attempt) =>
      renameAccount({ ...target, ...attempt }, from === NO_ACCOUNT ? null : from, name, line),
    options,
  );

  showReport(report, options, () => {
    note(resultOf(report.trades, from, name));
    for (const { id, name: key, before, after } of report.keys) {
      note(`Key ${id} (${key}) shows ${after} trades; before ${before}.`);
    }
    if (report.import !== null) note(undoHint(report.import));
  });
}

function resultOf(trades: number, from: string, name: string): string {
  if (trades === 0) return `Nothing changed: the account is named ${name} already.`;

  if (from.toLowerCase() === name.toLowerCase())
    return `${from} is spelled ${name} now, in ${counted(trades, 'trade')} and in later files.`;

  return `${counted(trades, 'trade')} moved to ${name}; later files that name ${from} lead there, too.`;
}
