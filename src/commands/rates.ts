/** `rates`: exchange rates for trades whose files state none. */
import { filesOf } from '../config.ts';
import type { RatesReport } from '../edit/rates.ts';
import { UsageError } from '../errors.ts';
import { CURRENCY_PATTERN } from '../journal/fields.ts';
import { userFor } from '../journal-write/open.ts';
import { isDate } from '../time.ts';
import {
  counted,
  type JournalCommand,
  note,
  type Options,
  printList,
  showReport,
  targetOf,
  undoHint,
} from './shared/command.ts';
import { asked, otherNow, terminalHere } from './shared/terminal.ts';

export function registerRates(program: JournalCommand): void {
  const rates = program
    .command('rates')
    .description('set exchange rates for trades whose files state none');
  rates
    .command('set')
    .description('set rates to your base currency')
    .argument(
      '<rates...>',
      '1 unit of a currency in your base currency, such as EUR=1.09; ' +
        'EUR alone asks at the terminal',
    )
    .option(
      '--from <day>',
      'first day of closing that the rates apply to (default: all days)',
    )
    .changes('rates')
    .explained(
      `A rate for all days replaces earlier ones of its currency. A trade that states its own rate keeps it; then a table's rate of the closing day,
or its latest of the 7 days before, comes first ("journal-api import eurofxref-hist.zip" imports the European Central Bank's).`,
    )
    .examples(
      'journal-api rates set EUR=1.09 USDT=1',
      'journal-api rates set EUR=1.12 --from 2026-06-01',
    )
    .runs(set);
  rates
    .command('remove')
    .description('remove set rates')
    .argument('<currencies...>', 'such as EUR')
    .changes('rates')
    .examples('journal-api rates remove EUR')
    .runs(remove);
  rates
    .command('list')
    .description('list exchange rates')
    .userOption('owner of the rates')
    .lists()
    .examples('journal-api rates list')
    .runs(list);
}

async function set(
  given: readonly string[],
  options: Options & { from?: string },
): Promise<void> {
  const rates = new Map<string, number>();
  const typed: string[] = [];
  const asks = given.some((word) => !word.includes('='));
  const base = asks && terminalHere() ? baseOf(options) : undefined;

  for (const word of given) {
    const text = await withRate(word, options);
    typed.push(text);
    const [, name = '', number = ''] = /^([^=]*)=([^=]*)$/.exec(text) ?? [];
    const [currency, rate] = [name.trim().toUpperCase(), Number(number)];
    if (
      !CURRENCY_PATTERN.test(currency) ||
      !RATE.test(number) ||
      !(rate >= 1e-12 && rate < 1e12)
    ) {
      throw new UsageError(
        `rates set takes a currency and a number above 0, such as EUR=1.09; got "${text}"`,
      );
    }
    if (rates.has(currency)) throw new UsageError(`${currency} appears twice; keep one`);

    rates.set(currency, rate);
  }

  const { from } = options;
  if (from !== undefined && !isDate(from))
    throw new UsageError(`--from takes a day, such as 2026-06-01; got "${from}"`);

  const { setRates } = await import('../edit/rates.ts');
  const line = [
    'rates set',
    ...typed,
    ...(from === undefined ? [] : ['--from', from]),
  ].join(' ');

  const approve = () => {
    const now = base === undefined ? base : baseOf(options);
    if (now !== base) throw otherNow(`the base currency is ${now}`);
  };

  show(setRates({ ...targetOf(options), approve }, rates, from, line), options);
}

const RATE = /^(\d+(\.\d*)?|\.\d+)$/;

function baseOf(options: Options): string {
  return userFor(filesOf(options).journal, options.user).base_currency;
}

/** Asks for the rate of a currency that is named alone, if there is a terminal. */
async function withRate(word: string, options: Options): Promise<string> {
  const terminal = CURRENCY_PATTERN.test(word.toUpperCase()) ? terminalHere() : undefined;
  if (!terminal) return word;

  const base = baseOf(options);
  const rate = await asked(
    terminal,
    `1 ${word.toUpperCase()} in ${base}? `,
    (typed) => (RATE.test(typed) && Number(typed) >= 1e-12 ? typed : undefined),
    () => 'Type a number above 0, such as 1.09.',
  );
  return `${word}=${rate}`;
}

async function remove(given: readonly string[], options: Options): Promise<void> {
  const valued = given.find((name) => !CURRENCY_PATTERN.test(name.toUpperCase()));
  if (valued !== undefined)
    throw new UsageError(`rates remove takes currencies, such as EUR; got "${valued}"`);

  const { removeRates } = await import('../edit/rates.ts');
  const currencies = [...new Set(given.map((name) => name.toUpperCase()))];
  show(
    removeRates(targetOf(options), currencies, ['rates remove', ...currencies].join(' ')),
    options,
  );
}

function show(report: RatesReport, options: Options): void {
  showReport(report, options, () => {
    const { filled, cleared, missing } = report;
    if (report.import === null && !report.dry_run)
      note('These rates are already set; nothing changed.');
    const more = cleared > 0 ? `, ${cleared} lost theirs` : '';
    const undo = report.import === null ? '' : ` ${undoHint(report.import)}`;
    note(`${counted(filled, 'trade')} got an exchange rate${more}.${undo}`);
    for (const { currency, trades, first, last } of missing) {
      note(
        `${counted(trades, 'trade')} in ${currency}, ${first} to ${last}: still without a rate`,
      );
    }
  });
}

async function list(options: Options): Promise<void> {
  const { listRates } = await import('../edit/rates.ts');
  printList(
    options,
    listRates(targetOf(options)),
    'No rates are set. Set one: journal-api rates set EUR=1.09',
    {
      CURRENCY: 'currency',
      RATE: ({ rate, days }) => rate ?? `${days} days`,
      TO: 'base',
      FROM: ({ from }) => from ?? 'all days',
      UNTIL: 'to',
      IMPORT: 'import',
      USED: ({ is_used }) => (is_used ? 'yes' : 'no: another base currency'),
    },
  );
}
