/** `fees`: the user's fees for fills without stated fees, by symbol or underlying. */
import { UsageError } from '../errors.ts';
import type { FeeRate } from '../statements/account-settings.ts';
import {
  accountName,
  type JournalCommand,
  note,
  type Options,
  printList,
  showReport,
  targetOf,
  undoHint,
} from './shared/command.ts';

interface FeesOptions extends Options {
  account?: string;
  perOrder?: string;
  percent?: string;
}

const ACCOUNT = [
  '--account <name>',
  'only for this account (default: every account)',
  accountName,
] as const;

export function registerFees(program: JournalCommand): void {
  const fees = program
    .command('fees')
    .description('set your own fees for fills without stated fees');
  fees
    .command('set')
    .description(
      'set fees per contract and side, per order, or as a percentage of the traded value',
    )
    .argument(
      '[fees...]',
      'symbol or underlying with its fee per contract and side, such as MNQ=0.62',
    )
    .option('--per-order <amount>', 'fee per order, for these symbols or every symbol')
    .option(
      '--percent <number>',
      'percentage of the traded value, for these symbols or every symbol',
    )
    .option(...ACCOUNT)
    .changes('fees')
    .explained(
      `Amounts are in the trade's currency. The most specific fee applies: for the symbol, then its underlying (the root of a future), then
every symbol; for each of these, the fill's account before every account. Fees stated by an export always take precedence.`,
    )
    .examples(
      'journal-api fees set MNQ=0.62 MES=0.62',
      'journal-api fees set MNQ=0.37 --account main',
      'journal-api fees set AAPL --per-order 1.50',
      'journal-api fees set --percent 0.05 --account binance',
    )
    .runs(set);
  fees
    .command('remove')
    .description('remove fees')
    .argument(
      '[symbols...]',
      'as shown by "fees list"; without any, the fee for every symbol',
    )
    .option(...ACCOUNT)
    .changes('fees')
    .examples('journal-api fees remove MNQ')
    .runs(remove);
  fees
    .command('list')
    .description('list your fees')
    .userOption('owner of the fees')
    .lists()
    .examples('journal-api fees list')
    .runs(list);
}

function set(given: readonly string[], options: FeesOptions): Promise<void> {
  const { account = null, perOrder, percent } = options;
  const others = {
    account,
    per_order: perOrder === undefined ? null : amountOf('--per-order', perOrder, 1e9),
    percent: percent === undefined ? null : amountOf('--percent', percent, 100),
  };
  const hasOthers = perOrder !== undefined || percent !== undefined;
  if (given.length === 0 && !hasOthers)
    throw new UsageError(
      'no fee given; name a symbol and its fee, as in: journal-api fees set MNQ=0.62',
    );

  const rates = given.map((text): FeeRate => {
    const [symbol = '', amount] = text.split(/=(?=[^=]*$)/);
    if (
      symbol.trim() === '' ||
      symbol.endsWith('=') ||
      (amount === undefined && !hasOthers)
    ) {
      throw new UsageError(
        `fees set takes a symbol and its fee, such as MNQ=0.62; got "${text}"`,
      );
    }

    return {
      symbol: symbol.trim(),
      per_contract: amount === undefined ? null : amountOf(text, amount, 1e9),
      ...others,
    };
  });
  const every: FeeRate = { symbol: null, per_contract: null, ...others };
  return change(rates.length > 0 ? rates : [every], ['fees set', ...given], options);
}

function remove(symbols: readonly string[], options: FeesOptions): Promise<void> {
  const none = {
    account: options.account ?? null,
    per_contract: null,
    per_order: null,
    percent: null,
  };
  const valued = symbols.find((symbol) => symbol.includes('='));
  if (valued !== undefined)
    throw new UsageError(
      `fees remove takes symbols without amounts, such as MNQ; got "${valued}"`,
    );

  const rates = (symbols.length > 0 ? symbols : [null]).map(
    (symbol): FeeRate => ({ symbol, ...none }),
  );
  return change(rates, ['fees remove', ...symbols], options);
}

function amountOf(where: string, text: string, below: number): number {
  const amount = Number(text);
  if (/^(\d+(\.\d*)?|\.\d+)$/.test(text) && amount < below) return amount;
  throw new UsageError(
    `${where}: a fee must be a number from 0 to below ${below}, such as 0.62; got "${text}"`,
  );
}

async function change(
  rates: readonly FeeRate[],
  words: readonly string[],
  options: FeesOptions,
): Promise<void> {
  const twice = rates.find(
    ({ symbol }, place) =>
      rates.findIndex((rate) => rate.symbol?.toLowerCase() === symbol?.toLowerCase()) <
      place,
  );
  if (twice) throw new UsageError(`${twice.symbol} appears twice; keep one`);

  const { changeFees } = await import('../edit/fees.ts');
  const { account, perOrder, percent } = options;
  const flags = Object.entries({
    '--account': account,
    '--per-order': perOrder,
    '--percent': percent,
  });
  const title = [
    ...words,
    ...flags.flatMap(([flag, value]) => (value === undefined ? [] : [flag, value])),
  ].join(' ');
  const report = changeFees(targetOf(options), rates, title);

  showReport(report, options, () => {
    if (report.import === null)
      return note('These fees are already set; nothing changed.');

    const sums = report.added.map(
      ({ currency, amount }) => `${amount > 0 ? '+' : ''}${amount} ${currency}`,
    );
    const { changed, added } = report.trades;
    note(
      `${changed + added} trades changed; fees changed by ${sums.join(', ') || '0'}. ` +
        `${undoHint(report.import)}`,
    );

    for (const symbol of report.unused) {
      note(
        `${symbol === '' ? 'No symbol has' : `${symbol} has no`} fills without stated fees yet; the fee applies to later imports.`,
      );
    }
  });
}

async function list(options: Options): Promise<void> {
  const { listFees } = await import('../edit/fees.ts');
  printList(
    options,
    listFees(targetOf(options)),
    'No fees are set. Set some: journal-api fees set MNQ=0.62',
    {
      SYMBOL: ({ symbol }) => symbol ?? 'every',
      ACCOUNT: ({ account }) => account ?? 'every',
      'PER CONTRACT': 'per_contract',
      'PER ORDER': 'per_order',
      PERCENT: 'percent',
    },
  );
}
