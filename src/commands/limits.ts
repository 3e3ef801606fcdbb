/** `limits`: the rules of accounts as their firms state them. */
import { Option } from 'commander';
import { UsageError } from '../errors.ts';
import { type AccountRules, TRAILING } from '../journal/analytics/account-rules.ts';
import { CURRENCY_PATTERN } from '../journal/fields.ts';
import { isDate, isTimeZone } from '../time.ts';
import {
  accountName,
  type JournalCommand,
  note,
  type Options,
  printList,
  shellWord,
  showReport,
  targetOf,
  undoHint,
} from './shared/command.ts';

/** @returns undefined for a text that isn't one */
type Read = (text: string) => string | number | undefined;

const amount =
  (least: number): Read =>
  (text) =>
    /^\d+(\.\d{1,8})?$/.test(text) && Number(text) >= least && Number(text) < 1e12
      ? Number(text)
      : undefined;
const [above0, from0] = [amount(1e-8), amount(0)];
const ABOVE_0 = 'an amount above 0, such as 2000';
const FROM_0 = 'an amount of 0 or more, such as 2000';

const share: Read = (text) => {
  const found = /^\d+(\.\d{1,2})?%$/.test(text) ? Number(text.slice(0, -1)) / 100 : 0;
  return found >= 0.0001 && found <= 1 ? found : undefined;
};

const DAY_END = /^((?:[01]\d|2[0-3]):[0-5]\d)(?: +(\S+))?$/;

const dayEnd: Read = (text) => {
  const [, time, zone] = DAY_END.exec(text.trim()) ?? [];
  return zone === undefined || isTimeZone(zone) ? time : undefined;
};

const currency: Read = (text) =>
  CURRENCY_PATTERN.test(text.toUpperCase()) ? text.toUpperCase() : undefined;

type Rule = [flag: string, description: string, takes: string, read: Read];

/** Each with its option; --day-ends also states the zone. */
const RULES: Record<Exclude<keyof AccountRules, 'timezone'>, Rule> = {
  balance: ['--balance <amount>', 'balance at the start', FROM_0, from0],
  max_loss: [
    '--max-loss <amount>',
    'distance of the max loss limit from the balance that it follows',
    ABOVE_0,
    above0,
  ],
  trailing: [
    '--trailing <how>',
    'that limit rises never, with the end of a day, or with each new high',
    '',
    (text) => text,
  ],
  locks_at: [
    '--locks-at <balance>',
    'that limit never rises above this balance',
    FROM_0,
    from0,
  ],
  daily_loss: ['--daily-loss <amount>', 'maximum loss of a day', ABOVE_0, above0],
  target: ['--target <amount>', 'profit to reach', ABOVE_0, above0],
  best_day: [
    '--best-day <percent>',
    'maximum share of the best day in the whole profit, such as 50%',
    'a percentage above 0 and up to 100, such as 50%',
    share,
  ],
  min_days: [
    '--min-days <n>',
    'days that must count before the account passes',
    'a whole number from 1 to 999, such as 5',
    (text) => (/^[1-9]\d{0,2}$/.test(text) ? Number(text) : undefined),
  ],
  min_day_profit: [
    '--min-day-profit <amount>',
    'profit of a day that counts (default: each day with trades counts)',
    ABOVE_0,
    above0,
  ],
  day_ends: [
    '--day-ends <time>',
    'end of a day, such as "17:00 America/Chicago" (default: midnight in your time zone)',
    'a local time and an IANA time zone, such as "17:00 America/Chicago"',
    dayEnd,
  ],
  since: [
    '--since <day>',
    'first day of the account (default: all its trades count)',
    'a day, such as 2026-06-01',
    (text) => (isDate(text) && text >= '0001' ? text : undefined),
  ],
  currency: [
    '--currency <code>',
    'currency of the amounts (default: that of its trades)',
    'a code such as USD',
    currency,
  ],
};

const OPTIONS = Object.entries(RULES).map(([name, [flag, description, takes, read]]) => {
  const rule = name as keyof AccountRules;
  const option = new Option(flag, description).makeOptionMandatory(
    ['balance', 'max_loss', 'trailing'].includes(rule),
  );
  return {
    rule,
    takes,
    read,
    option: rule === 'trailing' ? option.choices(TRAILING) : option,
  };
});

const DRY_RUN = 'report the change without making it';

export function registerLimits(program: JournalCommand): void {
  const limits = program
    .command('limits')
    .description("set an account's limits as its firm states them");
  limits
    .command('set')
    .description('set all limits of an account, in place of earlier ones')
    .argument('<account>', 'its name; "journal-api account list" shows all names')
    .addOptions(OPTIONS.map(({ option }) => option))
    .changes('account', DRY_RUN)
    .explained(
      `None are built in, because the rules of firms change: read your firm's page. All figures are realised P&L, exit by exit; firms count open positions, too.
docs/limits.md explains each rule. "journal-api summary" shows where the account stands.`,
    )
    .examples(
      'journal-api limits set main --balance 50000 --max-loss 2000 --trailing eod ' +
        '--locks-at 50100 --target 3000 --day-ends "17:00 America/Chicago"',
      'journal-api limits set challenge --balance 100000 --max-loss 10000 --trailing ' +
        'static --daily-loss 5000 --target 10000 --min-days 4',
    )
    .runs((account: string, options: Options & Typed) => {
      const { rules, flags } = rulesIn(options);
      return change(
        account,
        rules,
        ['limits set', shellWord(account), ...flags].join(' '),
        options,
      );
    });
  limits
    .command('remove')
    .description('remove the limits of an account')
    .argument('<account>', 'its name')
    .changes('account', DRY_RUN)
    .examples('journal-api limits remove main')
    .runs((account: string, options: Options) =>
      change(account, null, `limits remove ${shellWord(account)}`, options),
    );
  limits
    .command('list')
    .description('list accounts with limits')
    .userOption('owner of the accounts')
    .lists()
    .examples('journal-api limits list')
    .runs(list);
}

/** Rules by the names of their options. */
type Typed = Readonly<Record<string, string>>;

/** The typed rules, and their options as typed. */
function rulesIn(given: Typed): { rules: AccountRules; flags: string[] } {
  const flags: string[] = [];
  const values = OPTIONS.map(({ rule, takes, read, option }) => {
    const text = given[option.attributeName()];
    if (text === undefined) return [rule, null];
    const value = read(text);
    if (value === undefined)
      throw new UsageError(`${option.long} takes ${takes}; got "${text}"`);
    flags.push(`${option.long} ${shellWord(text)}`);
    return [rule, value];
  });
  const zone = DAY_END.exec(given['dayEnds']?.trim() ?? '')?.[2] ?? null;
  const rules = { ...Object.fromEntries(values), timezone: zone } as AccountRules;
  const { balance, max_loss, trailing, locks_at } = rules;
  if (locks_at !== null && trailing === 'static')
    throw new UsageError(
      '--locks-at is for a limit that rises; omit it, or pass --trailing eod or intraday',
    );
  if (locks_at !== null && locks_at < balance - max_loss)
    throw new UsageError(
      `--locks-at must be at least the first limit, ${balance - max_loss}; got "${locks_at}"`,
    );

  return { rules, flags };
}

async function change(
  account: string,
  rules: AccountRules | null,
  line: string,
  options: Options,
): Promise<void> {
  const name = accountName(account);
  const { setLimits } = await import('../edit/limits.ts');
  const report = setLimits(targetOf(options), name, rules, line);
  showReport(report, options, () => {
    if (report.import === null && !options.dryRun)
      return note('These limits are already set; nothing changed.');

    note(
      rules === null
        ? `Removed the limits of ${report.account}.`
        : `Set the limits of ${report.account}.`,
    );
    if (rules !== null && report.trades === 0) {
      const near =
        report.did_you_mean === null ? '.' : `; did you mean ${report.did_you_mean}?`;
      note(`No trade is in ${report.account} yet${near}`);
    }

    if (report.import !== null) note(undoHint(report.import));
  });
}

async function list(options: Options): Promise<void> {
  const { listLimits } = await import('../edit/limits.ts');
  const all = listLimits(targetOf(options));
  const rules = OPTIONS.map(({ rule }) => rule).filter((rule) =>
    all.some((limits) => limits[rule] !== null),
  );

  printList(
    options,
    all,
    'No account has limits. Set some: journal-api limits set --help',
    {
      ACCOUNT: 'account',
      ...Object.fromEntries(
        rules.map((rule) => [
          rule.replaceAll('_', ' ').toUpperCase(),
          (limits: AccountRules) => shown(limits, rule),
        ]),
      ),
      IMPORT: 'import',
    },
  );
}

function shown(rules: AccountRules, rule: keyof AccountRules): string {
  if (rule === 'best_day' && rules.best_day !== null)
    return `${Number((rules.best_day * 100).toFixed(2))}%`;
  if (rule === 'day_ends')
    return [rules.day_ends ?? 'midnight', rules.timezone ?? ''].join(' ').trim();
  return String(rules[rule] ?? '-');
}
