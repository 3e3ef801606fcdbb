/** `limits`: the rules of accounts as their firms state them. */
import { type Command, Option } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { UsageError } from '../errors.ts';
import { type AccountRules, TRAILING } from '../journal/analytics/account-rules.ts';
import { CURRENCY_PATTERN } from '../journal/fields.ts';
import { isDate, isTimeZone } from '../time.ts';
import { note, printJson, printTable, shellWord } from './shared/output.ts';

interface Options extends GlobalOptions {
  balance: string;
  maxLoss: string;
  trailing: AccountRules['trailing'];
  locksAt?: string;
  dailyLoss?: string;
  target?: string;
  bestDay?: string;
  minDays?: string;
  minDayProfit?: string;
  dayEnds?: string;
  since?: string;
  currency?: string;
  user?: string;
  dryRun?: boolean;
  json?: boolean;
}

export function registerLimits(program: Command): void {
  const limits = program.command('limits').description("set an account's limits as its firm states them");
  changing(
    limits
      .command('set')
      .description('set all limits of an account, in place of earlier ones')
      .argument('<account>', 'its name; "journal-api account list" shows all names')
      .requiredOption('--balance <amount>', 'balance at the start')
      .requiredOption('--max-loss <amount>', 'maximum loss: the distance of the floor from the balance that it follows')
      .addOption(
        new Option('--trailing <how>', 'when the floor rises: never, at the end of a day, or with each new high')
          .choices(TRAILING)
          .makeOptionMandatory(),
      )
      .option('--locks-at <balance>', 'the floor never rises above this balance')
      .option('--daily-loss <amount>', 'maximum loss of a day')
      .option('--target <amount>', 'profit to reach')
      .option('--best-day <percent>', 'maximum share of the best day in the whole profit, such as 50%')
      .option('--min-days <n>', 'days that must count before the account passes')
      .option('--min-day-profit <amount>', 'profit of a day that counts (default: each day with trades counts)')
      .option(
        '--day-ends <time>',
        'end of a day, such as "17:00 America/Chicago" (default: midnight in your time zone)',
      )
      .option('--since <day>', 'first day of the account (default: all its trades count)')
      .option('--currency <code>', 'currency of the amounts (default: that of its trades)'),
  )
    .addHelpText(
      'after',
      `
None are built in, because the rules of firms change: read your firm's page. All figures are by closed trades; firms count open ones, too.
docs/limits.md explains each rule. "journal-api summary" shows where the account stands.

Examples:
  $ journal-api limits set main --balance 50000 --max-loss 2000 --trailing eod --locks-at 50100 --target 3000 --day-ends "17:00 America/Chicago"
  $ journal-api limits set challenge --balance 100000 --max-loss 10000 --trailing static --daily-loss 5000 --target 10000 --min-days 4`,
    )
    .action((account: string, _options, command: Command) => set(account, command.optsWithGlobals()));
  changing(limits.command('remove').description('remove the limits of an account').argument('<account>', 'its name'))
    .addHelpText('after', '\nExample:\n  $ journal-api limits remove main')
    .action((account: string, _options, command: Command) =>
      change(nameOf(account), null, `limits remove ${shellWord(account)}`, command.optsWithGlobals()),
    );
  limits
    .command('list')
    .description('list accounts with limits')
    .option('--user <id>', 'owner of the accounts (default: me, else the only user)')
    .option('--json', 'as a JSON array')
    .addHelpText('after', '\nExample:\n  $ journal-api limits list')
    .action((_options, command: Command) => list(command.optsWithGlobals()));
}

function changing(command: Command): Command {
  return command
    .option('--user <id>', 'owner of the account (default: me, else the only user)')
    .option('--dry-run', 'report the change without making it')
    .option('--json', 'the report as JSON');
}

function set(account: string, options: Options): Promise<void> {
  const optional = <T>(text: string | undefined, read: (text: string) => T) => (text === undefined ? null : read(text));
  const [ends = null, zone = null] = optional(options.dayEnds, dayEndIn) ?? [];
  const rules: AccountRules = {
    balance: amountIn('--balance', options.balance, 0),
    max_loss: amountIn('--max-loss', options.maxLoss),
    trailing: options.trailing,
    locks_at: optional(options.locksAt, (text) => amountIn('--locks-at', text, 0)),
    daily_loss: optional(options.dailyLoss, (text) => amountIn('--daily-loss', text)),
    target: optional(options.target, (text) => amountIn('--target', text)),
    best_day: optional(options.bestDay, shareIn),
    min_days: optional(options.minDays, daysIn),
    min_day_profit: optional(options.minDayProfit, (text) => amountIn('--min-day-profit', text)),
    ...{ day_ends: ends, timezone: zone },
    since: optional(options.since, firstDayIn),
    currency: optional(options.currency, currencyIn),
  };
  const first = rules.balance - rules.max_loss;
  if (rules.locks_at !== null && (rules.trailing === 'static' || rules.locks_at < first)) {
    throw new UsageError(
      rules.trailing === 'static'
        ? '--locks-at is for a floor that rises; omit it, or pass --trailing eod or intraday'
        : `--locks-at must be at least the first floor, ${first}; got "${options.locksAt}"`,
    );
  }
  const line = ['limits set', shellWord(account), ...flagsOf(options)].join(' ');
  return change(nameOf(account), rules, line, options);
}

/** The options as typed. */
function flagsOf(options: Options): string[] {
  const { balance, maxLoss, trailing, locksAt, dailyLoss, target, bestDay, minDays, minDayProfit, dayEnds } = options;
  const flags = {
    ...{ '--balance': balance, '--max-loss': maxLoss, '--trailing': trailing, '--locks-at': locksAt },
    ...{ '--daily-loss': dailyLoss, '--target': target, '--best-day': bestDay, '--min-days': minDays },
    ...{ '--min-day-profit': minDayProfit, '--day-ends': dayEnds, '--since': options.since },
    '--currency': options.currency,
  };
  return Object.entries(flags).flatMap(([flag, value]) => (value === undefined ? [] : [flag, shellWord(value)]));
}

function nameOf(account: string): string {
  const name = account.trim();
  if (name !== '' && name !== '(none)' && name.length <= 200) return name;
  throw new UsageError(`limits need the name of an account, such as main; got "${account}"`);
}

function amountIn(flag: string, text: string, least = 1e-8): number {
  const amount = Number(text);
  if (/^\d+(\.\d{1,8})?$/.test(text) && amount >= least && amount < 1e12) return amount;
  throw new UsageError(
    `${flag} takes an amount ${least > 0 ? 'above 0' : 'of 0 or more'}, such as 2000; got "${text}"`,
  );
}

function shareIn(text: string): number {
  const share = Number(text.slice(0, -1)) / 100;
  if (/^\d+(\.\d{1,2})?%$/.test(text) && share >= 0.0001 && share <= 1) return share;
  throw new UsageError(`--best-day takes a percentage above 0 and up to 100, such as 50%; got "${text}"`);
}

function daysIn(text: string): number {
  if (/^[1-9]\d{0,2}$/.test(text)) return Number(text);
  throw new UsageError(`--min-days takes a whole number from 1 to 999, such as 5; got "${text}"`);
}

function dayEndIn(text: string): [time: string, zone: string | null] {
  const [, time, zone] = /^((?:[01]\d|2[0-3]):[0-5]\d)(?: +(\S+))?$/.exec(text.trim()) ?? [];
  if (time !== undefined && (zone === undefined || isTimeZone(zone))) return [time, zone ?? null];
  throw new UsageError(
    `--day-ends takes a local time and an IANA time zone, such as "17:00 America/Chicago"; got "${text}"`,
  );
}

function firstDayIn(text: string): string {
  if (isDate(text) && text >= '0001' && text < '9999') return text;
  throw new UsageError(`--since takes a day, such as 2026-06-01; got "${text}"`);
}

function currencyIn(text: string): string {
  const code = text.toUpperCase();
  if (CURRENCY_PATTERN.test(code)) return code;
  throw new UsageError(`--currency takes a code such as USD; got "${text}"`);
}

async function change(account: string, rules: AccountRules | null, line: string, options: Options): Promise<void> {
  const { setLimits } = await import('../import/edit/limits.ts');
  const { journal, backups } = filesOf(options);
  const { user, dryRun, json } = options;
  const report = setLimits({ journal, backups, user, dryRun, now: Date.now() }, account, rules, line);
  if (json) return printJson(report);
  if (dryRun) note('Dry run: nothing was written.');
  else if (report.import === null) return note('These limits are already set; nothing changed.');
  note(rules === null ? `Removed the limits of ${report.account}.` : `Set the limits of ${report.account}.`);
  if (rules !== null && report.trades === 0) {
    const near = report.did_you_mean === null ? '.' : `; did you mean ${report.did_you_mean}?`;
    note(`No trade is in ${report.account} yet${near}`);
  }
  if (report.import !== null) note(`To undo: journal-api import undo ${report.import}`);
}

async function list(options: Options): Promise<void> {
  const { listLimits } = await import('../import/edit/limits.ts');
  const limits = listLimits({ journal: filesOf(options).journal, user: options.user });
  if (options.json) return printJson(limits);
  if (limits.length === 0) return note('No account has limits. Set some: journal-api limits set --help');
  printTable(
    [
      'ACCOUNT',
      'BALANCE',
      'MAX LOSS',
      'TRAILING',
      'LOCKS AT',
      'DAILY LOSS',
      'TARGET',
      'BEST DAY',
      'DAYS',
      'DAY ENDS',
      'SINCE',
      'IMPORT',
    ],
    limits.map(({ account, balance, max_loss, trailing, locks_at, daily_loss, target, best_day, ...own }) => [
      ...[account, `${balance}${own.currency === null ? '' : ` ${own.currency}`}`, String(max_loss), trailing],
      ...[locks_at, daily_loss, target].map((amount) => String(amount ?? '-')),
      best_day === null ? '-' : `${Number((best_day * 100).toFixed(2))}%`,
      own.min_days === null ? '-' : `${own.min_days}${own.min_day_profit === null ? '' : ` of ${own.min_day_profit}`}`,
      [own.day_ends ?? 'midnight', own.timezone].filter(Boolean).join(' '),
      ...[own.since ?? '-', String(own.import)],
    ]),
  );
}
