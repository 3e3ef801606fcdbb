/**
 * All file formats. A new one needs facts in known.ts, a file here with its reader, a
 * line below, and in platforms.ts its platform, if others have it too or its execution
 * ids are unique.
 */
import { OnDemand } from '../../journal/once.ts';
import { isNoteName } from '../../notes/note.ts';
import { type Format, hasMarks } from '../tables/format.ts';
import { type FormatFacts, KNOWN } from './known.ts';
import { hasUniqueIds, statedPlatformOf } from './platforms.ts';

type Name = keyof typeof KNOWN;

/** Readers, loaded on demand. */
const READERS: Readonly<Record<Name, () => Promise<Format>>> = {
  tradovate: async () => (await import('./tradovate.ts')).tradovate,
  'tradovate-fills': async () => (await import('./tradovate.ts')).tradovateFills,
  'tradovate-orders': async () => (await import('./tradovate.ts')).tradovateOrders,
  'tradovate-cash': async () => (await import('./tradovate.ts')).tradovateCash,
  topstepx: async () => (await import('./futures-platforms.ts')).topstepx,
  'topstepx-orders': async () => (await import('./futures-platforms.ts')).topstepxOrders,
  'rithmic-orders': async () => (await import('./rithmic.ts')).rithmicOrders,
  quantower: async () => (await import('./futures-platforms.ts')).quantower,
  rithmic: async () => (await import('./rithmic.ts')).rithmic,
  tradingview: async () => (await import('./tradingview.ts')).tradingview,
  'tradingview-orders': async () =>
    (await import('./tradingview-balance.ts')).tradingviewOrders,
  'tradingview-balance': async () =>
    (await import('./tradingview-balance.ts')).tradingviewBalance,
  'ftmo-metrix': async () => (await import('./cfd-brokers.ts')).ftmoMetrix,
  ctrader: async () => (await import('./cfd-brokers.ts')).ctrader,
  exness: async () => (await import('./cfd-brokers.ts')).exness,
  ig: async () => (await import('./cfd-brokers.ts')).ig,
  oanda: async () => (await import('./oanda.ts')).oanda,
  xtb: async () => (await import('./xtb.ts')).xtb,
  'xtb-cash': async () => (await import('./xtb.ts')).xtbCash,
  metatrader: async () => (await import('./metatrader.ts')).metatrader,
  'sierra-chart': async () => (await import('./futures-platforms.ts')).sierraChart,
  'ninjatrader-performance': async () =>
    (await import('./ninjatrader.ts')).ninjatraderPerformance,
  ninjatrader: async () => (await import('./ninjatrader.ts')).ninjatrader,
  tastytrade: async () => (await import('./tastytrade.ts')).tastytrade,
  'tastytrade-older': async () => (await import('./tastytrade.ts')).tastytradeOlder,
  'ibkr-transactions': async () =>
    (await import('./ibkr-transactions.ts')).ibkrTransactions,
  'ibkr-activity': async () => (await import('./ibkr-activity.ts')).ibkrActivity,
  'ibkr-flex': async () => (await import('./ibkr-flex.ts')).ibkrFlex,
  thinkorswim: async () => (await import('./thinkorswim.ts')).thinkorswim,
  'thinkorswim-activity': async () =>
    (await import('./thinkorswim.ts')).thinkorswimActivity,
  robinhood: async () => (await import('./robinhood.ts')).robinhood,
  schwab: async () => (await import('./schwab.ts')).schwab,
  etoro: async () => (await import('./etoro.ts')).etoro,
  etrade: async () => (await import('./north-american-brokers.ts')).etrade,
  questrade: async () => (await import('./north-american-brokers.ts')).questrade,
  'questrade-edge': async () =>
    (await import('./north-american-brokers.ts')).questradeEdge,
  revolut: async () => (await import('./revolut.ts')).revolut,
  'revolut-older': async () => (await import('./revolut.ts')).revolutOlder,
  scalable: async () => (await import('./scalable.ts')).scalable,
  fidelity: async () => (await import('./fidelity.ts')).fidelity,
  degiro: async () => (await import('./degiro.ts')).degiro,
  tradezero: async () => (await import('./us-brokers.ts')).tradezero,
  tradezella: async () => (await import('./trade-journals.ts')).tradezella,
  'tradezella-template': async () =>
    (await import('./trade-journals.ts')).tradezellaTemplate,
  tradervue: async () => (await import('./trade-journals.ts')).tradervue,
  'tradervue-executions': async () =>
    (await import('./trade-journals.ts')).tradervueExecutions,
  das: async () => (await import('./us-brokers.ts')).das,
  kraken: async () => (await import('./kraken.ts')).kraken,
  'kraken-ledgers': async () => (await import('./kraken.ts')).krakenLedgers,
  'kraken-futures': async () => (await import('./kraken.ts')).krakenFutures,
  coinbase: async () => (await import('./coinbase.ts')).coinbase,
  'coinbase-transactions': async () =>
    (await import('./coinbase.ts')).coinbaseTransactions,
  binance: async () => (await import('./binance.ts')).binance,
  'binance-spot': async () => (await import('./binance.ts')).binanceSpot,
  'binance-orders': async () => (await import('./binance.ts')).binanceOrders,
  'binance-transactions': async () => (await import('./binance.ts')).binanceTransactions,
  bybit: async () => (await import('./bybit.ts')).bybit,
  'bybit-trades': async () => (await import('./bybit.ts')).bybitTrades,
  'bybit-spot': async () => (await import('./bybit.ts')).bybitSpot,
  'bybit-log': async () => (await import('./bybit-log.ts')).bybitLog,
  hyperliquid: async () => (await import('./hyperliquid.ts')).hyperliquid,
  okx: async () => (await import('./coin-exchanges.ts')).okx,
  kucoin: async () => (await import('./coin-exchanges.ts')).kucoin,
  mexc: async () => (await import('./coin-exchanges.ts')).mexc,
  bitvavo: async () => (await import('./coin-exchanges.ts')).bitvavo,
  trading212: async () => (await import('./trading212.ts')).trading212,
  'trade-republic': async () => (await import('./trade-republic.ts')).tradeRepublic,
  webull: async () => (await import('./us-brokers.ts')).webull,
  zerodha: async () => (await import('./zerodha.ts')).zerodha,
  'zerodha-orders': async () => (await import('./zerodha.ts')).zerodhaOrders,
  upstox: async () => (await import('./indian-brokers.ts')).upstox,
  fyers: async () => (await import('./indian-brokers.ts')).fyers,
  'fyers-api': async () => (await import('./indian-brokers.ts')).fyersApi,
  groww: async () => (await import('./indian-brokers.ts')).groww,
  'groww-orders': async () => (await import('./indian-brokers.ts')).growwOrders,
  'angel-one': async () => (await import('./indian-brokers.ts')).angelOne,
  'freqtrade-backtest': async () => (await import('./freqtrade.ts')).freqtradeBacktest,
  freqtrade: async () => (await import('./freqtrade.ts')).freqtrade,
  ofx: async () => (await import('./ofx.ts')).ofx,
  rates: async () => (await import('./rates.ts')).rates,
  jsonl: async () => (await import('./records.ts')).jsonLines,
  json: async () => (await import('./records.ts')).json,
  csv: async () => (await import('./records.ts')).csv,
};

const readers = new Map(
  Object.entries(READERS).map(([name, load]) => [
    name,
    new OnDemand(`the reader of ${name}`, load),
  ]),
);

export const FORMATS: readonly Format[] = Object.values(KNOWN).map(onDemand);

/** A format whose files are recognised at once, and read once its reader is loaded. */
function onDemand(facts: (typeof KNOWN)[Name]): Format {
  const { marks, otherMarks, ...known }: FormatFacts = facts;
  const all = [marks, otherMarks].filter((names) => names !== undefined);
  const hasAll = (start: string) => all.some((names) => hasMarks(start, names));
  const platform = statedPlatformOf(facts.name);

  return {
    looksLike: hasAll,
    ...known,
    ...(marks && { marks }),
    ...(platform !== undefined && { platform }),
    ...(hasUniqueIds(facts.name) && { hasUniqueIds: true }),
    ...(known.binary && {
      hasRows: (bytes: Buffer) => readerOf(facts.name).hasRows?.(bytes),
    }),
    read: (...given: unknown[]) => readerOf(facts.name).read(...given),
  } as unknown as Format;
}

/** A reader of any kind, which takes what its format is given. */
interface Reader {
  read: (...given: unknown[]) => unknown;
  hasRows?: (bytes: Buffer) => boolean;
}

/** @throws Error if loadReaders was never called for it */
function readerOf(name: Name): Reader {
  return readers.get(name)?.value as unknown as Reader;
}

/** Notes are read by their names: markdown is recognised last. */
const notesReader = new OnDemand('the reader of notes', () => import('./markdown.ts'));

/** A note of one record, or a folder of them. */
export const markdown: Format = {
  name: 'markdown',
  description:
    'Markdown: notes with YAML properties at the top, one record each; also whole folders, such as an Obsidian vault',
  notes: true,
  looksLike: (_start, fileName) => isNoteName(fileName),
  read: (...given) => notesReader.value.readNotes(...given),
};

/** Notes of a day with its trades. */
export const dayNotes: Format = {
  ...markdown,
  notes: true,
  holds: 'days',
  looksLike: () => false,
  read: (...given) => notesReader.value.readDays(...given),
};

/** Loads the readers of these formats: reading is synchronous. */
export async function loadReaders(names: Iterable<string>): Promise<void> {
  for (const name of new Set(names)) {
    const reader = name === markdown.name ? notesReader : readers.get(name);
    await reader?.load();
  }
}

export function loadAllReaders(): Promise<void> {
  return loadReaders([...readers.keys(), markdown.name]);
}
