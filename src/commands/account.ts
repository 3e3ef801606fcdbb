/** `account`: lists accounts and renames them. */
import type { Command } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { UsageError } from '../errors.ts';
import { agreedTo } from './shared/agreed.ts';
import { note, printJson, printTable, shellWord } from './shared/output.ts';

interface Options extends GlobalOptions {
  merge?: boolean;
  yes?: boolean;
  user?: string;
  dryRun?: boolean;
  json?: boolean;
}

export function registerAccount(program: Command): void {
  const account = program.command('account').description('list accounts and rename them');
  account
    .command('list')
    .description('list accounts, with other names that lead to them')
    .option('--user <id>', 'owner of the trades (default: me, else the only user)')
    .option('--json', 'as a JSON array')
    .addHelpText('after', '\nExample:\n  $ journal-api account list')
    .action((_options, command: Command) => list(command.optsWithGlobals()));
  account
    .command('rename')
    .description('rename an account, for its trades, fills, fees and limits, and for later files')
    .argument('<old>', 'its name; "(none)" for trades without an account')
    .argument('<new>', 'the new name')
    .option('--merge', 'join it with an account that has trades')
    .option('--yes', 'proceed although a key shows more then; required without a terminal')
    .option('--user <id>', 'owner of the trades (default: me, else the only user)')
    .option('--dry-run', 'report the changes without making them')
    .option('--json', 'the report as JSON')
    .addHelpText(
      'after',
      `
Later files that name the old account lead to the new one. "journal-api import undo" reverts it.

Examples:
  $ journal-api account rename Sim101 main
  $ journal-api account rename "(none)" main --merge`,
    )
    .action((from: string, to: string, _options, command: Command) => rename(from, to, command.optsWithGlobals()));
}

async function list(options: Options): Promise<void> {
  const { listAccounts, NO_ACCOUNT } = await import('../import/edit/accounts.ts');
  const accounts = listAccounts({ journal: filesOf(options).journal, user: options.user });
  if (options.json) return printJson(accounts);
  if (accounts.length === 0) return note('No trades yet. Import some: journal-api import FILE');
  printTable(
    ['ACCOUNT', 'OTHER NAMES', 'TRADES', 'FIRST', 'LAST', 'NET P&L'],
    accounts.map(({ account, other_names, trades, first, last, net_pnl }) => [
      account ?? NO_ACCOUNT,
      other_names.map((name) => name ?? NO_ACCOUNT).join(', ') || '-',
      ...[String(trades), first, last, net_pnl.toFixed(2)],
    ]),
  );
}

async function rename(from: string, to: string, options: Options): Promise<void> {
  const { NO_ACCOUNT, renameAccount } = await import('../import/edit/accounts.ts');
  const name = to.trim();
  if (name === '' || name === NO_ACCOUNT) {
    throw new UsageError(`the new account needs a name, such as main; got "${to}"`);
  }
  const { journal, keys, backups } = filesOf(options);
  const line = `account rename ${shellWord(from)} ${shellWord(name)}${options.merge ? ' --merge' : ''}`;
  const run = (dryRun: boolean) =>
    renameAccount(
      { journal, keys, backups, user: options.user, merge: options.merge, dryRun, now: Date.now() },
      from === NO_ACCOUNT ? null : from,
      name,
      line,
    );
  const report = await agreedTo(run, options);
  if (options.json) return printJson(report);
  if (options.dryRun) note('Dry run: nothing was written.');
  note(
    `${report.trades === 1 ? '1 trade' : `${report.trades} trades`} moved to ${name}; later files that name ${from} lead there, too.`,
  );
  for (const { id, name: key, before, after } of report.keys) {
    note(`Key ${id} (${key}) shows ${after} trades; before ${before}.`);
  }
  if (report.import !== null) note(`To undo: journal-api import undo ${report.import}`);
}
