/** Fills of a file into the journal, and the trades of their instruments made anew. */
import type Database from 'better-sqlite3';
import { type Fill, FillTable, type PlacedFill } from '../../journal-write/fills.ts';
import type { WriteSettings } from '../../journal-write/record.ts';
import { onLine, quote, RowError } from '../../journal-write/row-error.ts';
import { isSameAccount } from './accounts.ts';
import { refuseUnkeepable } from './bounds.ts';
import { wholeExecutions } from './executions.ts';
import { keyWithoutAccount } from './identity.ts';
import { affectedBy } from './instruments.ts';
import type { Reading } from './reading.ts';
import { type FillSettings, type IncomingFill, incomingFills, platformOf, storedFill } from './stored-fills.ts';
import { PROGRESS_EVERY, type TradeChanges, TradeWriter } from './trade-changes.ts';
import { Twins } from './twins.ts';
import { type Leftover, type Walk, walk } from './walk.ts';

export interface FillChanges {
  /** Executions, or parts of some, that the file states. */
  stated: number;
  /** Of them those that the journal didn't have. */
  added: number;
  trades: TradeChanges;
  /** Closes that still have nothing to close, and remainders too small to count, of the instruments that changed. */
  unmatched: Leftover[];
  dust: Leftover[];
  /** Of fills that the file states without an account: those of the same fills in the accounts that other files name. */
  namesakes: Namesakes;
}

export interface Progress {
  /** Called now and then while fills are written, then trades. */
  progress?: ((what: string, done: number, of: number) => void) | undefined;
}

interface Namesakes {
  /** Ids. */
  executions: string[];
  /** Fills that several accounts have, so that nothing tells whose this one is. */
  unclear: Fill[];
}

/**
 * @param reading of one file: its fills are taken out of it, so that they are in memory no longer than they are needed
 * @param importId the import that states them, which is in the journal
 * @param allowDuplicates whether fills that another format seems to have stated already are separate ones
 * @throws RowError, UserError where the file contradicts itself or the journal; the transaction is to be rolled back then
 */
export function importFills(
  db: Database.Database,
  reading: Pick<Reading, 'fills'>,
  importId: number,
  settings: WriteSettings & FillSettings & Progress & { allowDuplicates: boolean },
): FillChanges {
  const table = new FillTable(db, settings.user.id);
  const incoming = incomingFills(reading.fills, settings, table);
  reading.fills = [];
  const stated = incoming.length;
  const fillOf = (own: IncomingFill) => storedFill(own, settings.format);
  const twins = settings.allowDuplicates ? undefined : new Twins(table, settings.format);
  const news = newsOf(incoming, fillOf, table, twins, settings.format);
  function* changed(): Generator<Fill> {
    for (const [place, own] of incoming.entries()) if (news[place] !== 'nothing') yield fillOf(own);
  }
  let namesakes: Namesakes = { executions: [], unclear: [] };
  const result = rewalk(db, settings, changed(), table, () => {
    for (const [place, own] of incoming.entries()) {
      const fill = fillOf(own);
      if (news[place] === 'fill' || news[place] === 'account') onLine(own.fill.line, () => table.add(fill));
      if (news[place] === 'fees') table.setFees(fill.id, fill.fees);
      table.state(fill.id, importId, place, fill.fees);
      if (place % PROGRESS_EVERY === 0) settings.progress?.('fills', place, incoming.length);
    }
    namesakes = namesakesOf(incoming, fillOf, table);
    incoming.length = 0;
  });
  return { stated, added: news.filter((own) => own === 'fill').length, ...result, namesakes };
}

/** What a fill of a file says that the journal didn't have: another export may have the fees or the account that the first lacks. */
type News = 'fill' | 'account' | 'fees' | 'nothing';

/** @throws RowError, UserError where a fill contradicts the journal, or seems to be in it by another format */
function newsOf(
  incoming: readonly IncomingFill[],
  fillOf: (own: IncomingFill) => Fill,
  table: FillTable,
  twins: Twins | undefined,
  format: FillSettings['format'],
): News[] {
  const isFirst = !table.hasAny(platformOf(format));
  const news = incoming.map((own): News => {
    const fill = fillOf(own);
    onLine(own.fill.line, () => refuseUnkeepable(fill));
    return isFirst ? 'fill' : newsOfFill(fill, own.fill.line, table, twins);
  });
  if (twins?.mayBeOrders && news.includes('fill')) {
    twins.lookAtOrders(
      incoming.map((own, place) => {
        const { line, executionId } = own.fill;
        return { fill: fillOf(own), line, hasId: executionId !== null, isNew: news[place] === 'fill' };
      }),
    );
  }
  twins?.refuse();
  return news;
}

/**
 * What a fill says that the journal doesn't have.
 * @param twins is shown what is new
 * @throws RowError where the fill contradicts the journal
 */
export function newsOfFill(fill: Fill, line: number, table: FillTable, twins: Twins | undefined): News {
  const known = knownAs(fill, line, table);
  if (known) return Math.abs(fill.fees) > Math.abs(known.fees) ? 'fees' : 'nothing';
  const alike = table.alike(fill);
  if (alike.some((other) => (other.account === null) !== (fill.account === null) && isNamesake(fill, other))) {
    return 'account';
  }
  twins?.look(fill, alike, line);
  return 'fill';
}

function namesakesOf(
  incoming: readonly IncomingFill[],
  fillOf: (own: IncomingFill) => Fill,
  table: FillTable,
): Namesakes {
  const namesakes: Namesakes = { executions: [], unclear: [] };
  const isNamed = new Map<string, boolean>();
  for (const own of incoming) {
    if (own.fill.account !== null) continue;
    const fill = fillOf(own);
    const { platform, symbol } = fill;
    const named = isNamed.get(symbol) ?? table.traitsOf(platform, symbol).named;
    isNamed.set(symbol, named);
    if (!named) continue;
    const others = table.alike(fill).filter((other) => other.account !== null && isNamesake(fill, other));
    for (const { execution_id } of others) namesakes.executions.push(execution_id);
    if (others.length > 1) namesakes.unclear.push(fill);
  }
  return namesakes;
}

/** Whether two fills are the same but for the account. */
function isNamesake(fill: Fill, other: Fill): boolean {
  return keyWithoutAccount(other) === keyWithoutAccount(fill);
}

/**
 * Walks what a change of fills affects before and after it, and brings the trades from the one to the other.
 * @param change writes the fills
 * @param isSettled whether the journal is as people want it with regard to a trade of instruments that had no fills before
 */
export function rewalk(
  db: Database.Database,
  settings: WriteSettings & Progress,
  changed: Iterable<Fill>,
  table: FillTable,
  change: () => void,
  isSettled: (tradeId: string) => boolean = () => false,
): Pick<FillChanges, 'trades' | 'unmatched' | 'dust'> {
  const walked = (placed: readonly PlacedFill[]): Walk => walk(wholeExecutions(placed));
  const before = affectedBy(changed, table).map(({ instruments, from }) => {
    const placed = table.load(instruments, from);
    return { instruments, from, isNew: placed.length === 0, trades: walked(placed).trades };
  });
  change();
  const writer = new TradeWriter(db, settings);
  const result = { trades: writer.changes, unmatched: [] as Leftover[], dust: [] as Leftover[] };
  for (const [place, { instruments, from, isNew, trades }] of before.entries()) {
    const after = walked(table.load(instruments, from));
    const known = isNew ? after.trades.filter(({ id }) => isSettled(id)) : trades;
    writer.apply(known, after.trades, (done, of) => settings.progress?.('trades', place + done / of, before.length));
    for (const own of after.unmatched) result.unmatched.push(own);
    for (const own of after.dust) result.dust.push(own);
  }
  return result;
}

/** What a fill must be in every file; a part of an execution, but for its quantity, as the other parts. */
const FACTS = ['executed_at', 'kind', 'side', 'price', 'quantity', 'account'] as const;

/**
 * The same fill in the journal; undefined where it is new.
 * @throws RowError where the journal has it otherwise
 */
function knownAs(fill: Fill, line: number, table: FillTable): Fill | undefined {
  const known = table.find(fill.id);
  const comparable = known ? [known] : table.partsOf(fill.execution_id).filter(({ state }) => state !== 'adopted');
  for (const other of comparable) {
    const differing = FACTS.find((name) => {
      if (name === 'quantity' && !isSamePart(fill, other)) return false;
      if (name === 'account') return !isSameAccount(other, fill);
      return other[name] !== fill[name];
    });
    if (differing !== undefined) {
      throw new RowError(
        differing,
        `the journal has this fill of ${fill.symbol} with ${quote(other[differing])}, and here it is ${quote(fill[differing])}: undo the import that brought it ("journal-api import list"), or read this file as that one was (--timezone, --account)`,
        line,
      );
    }
  }
  return known;
}

function isSamePart(fill: Fill, other: Fill): boolean {
  return fill.paired_with === other.paired_with && fill.state === other.state;
}
