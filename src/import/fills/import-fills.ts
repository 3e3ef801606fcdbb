/** Fills of a file into the journal, and the trades of their instruments made anew. */
import type Database from 'better-sqlite3';
import { UserError } from '../../errors.ts';
import { ADOPTED_PART, type Fill, FillTable } from '../../journal-write/fills.ts';
import type { WriteSettings } from '../../journal-write/record.ts';
import { quote, RowError } from '../../journal-write/row-error.ts';
import type { FileFill } from '../formats/format.ts';
import { wholeExecutions } from './executions.ts';
import { keyWithoutAccount } from './identity.ts';
import { type Affected, affectedBy } from './instruments.ts';
import { type FillSettings, type IncomingFill, incomingFills } from './stored-fills.ts';
import { type TradeChanges, TradeWriter } from './trade-changes.ts';
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

interface Namesakes {
  /** Ids. */
  executions: string[];
  /** Fills that several accounts have, so that nothing tells whose this one is. */
  unclear: Fill[];
}

/**
 * @param importId the import that states them, which is in the journal
 * @param allowTwins whether fills that another format or account seems to have stated already are separate ones
 * @throws RowError, UserError where the file contradicts itself or the journal; the transaction is to be rolled back then
 */
export function importFills(
  db: Database.Database,
  fills: readonly FileFill[],
  importId: number,
  settings: WriteSettings & FillSettings & { allowTwins: boolean },
): FillChanges {
  const table = new FillTable(db, settings.user.id);
  const incoming = incomingFills(fills, settings, table);
  const sorted = incoming.map((own) => ({ ...own, known: knownAs(own, table) }));
  const added = sorted.filter(({ known }) => !known);
  if (!settings.allowTwins) refuseTwins(added, table);
  // Another export of the platform may have the fees that the first one lacks.
  const dearer = sorted.filter(({ fill, known }) => known && Math.abs(fill.fees) > Math.abs(known.fees));
  const changed = [...added, ...dearer].map(({ fill }) => fill);

  const result = rewalk(db, settings, changed, table, () => {
    for (const [place, { fill, known }] of sorted.entries()) {
      if (!known) table.add(fill);
      table.state(fill.id, importId, place, fill.fees);
    }
    for (const { fill } of dearer) table.setFees(fill.id, fill.fees);
  });
  return { stated: incoming.length, added: added.length, ...result, namesakes: namesakesOf(incoming, table) };
}

function namesakesOf(incoming: readonly IncomingFill[], table: FillTable): Namesakes {
  const namesakes: Namesakes = { executions: [], unclear: [] };
  const isNamed = new Map<string, boolean>();
  for (const { fill } of incoming) {
    const { platform, symbol, account } = fill;
    if (account !== null) continue;
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
 */
export function rewalk(
  db: Database.Database,
  settings: WriteSettings,
  changed: readonly Fill[],
  table: FillTable,
  change: () => void,
): Pick<FillChanges, 'trades' | 'unmatched' | 'dust'> {
  const walked = ({ instruments, from }: Affected): Walk => walk(wholeExecutions(table.load(instruments, from)));
  const before = affectedBy(changed, table).map((affected) => ({ affected, trades: walked(affected).trades }));
  change();
  const writer = new TradeWriter(db, settings);
  const result = { trades: writer.changes, unmatched: [] as Leftover[], dust: [] as Leftover[] };
  for (const { affected, trades } of before) {
    const after = walked(affected);
    writer.apply(trades, after.trades);
    result.unmatched.push(...after.unmatched);
    result.dust.push(...after.dust);
  }
  return result;
}

/** What a fill must be in every file; a part of an execution, but for its quantity, as the other parts. */
const FACTS = ['executed_at', 'kind', 'side', 'price', 'quantity', 'account'] as const;

/**
 * The same fill in the journal; undefined where it is new.
 * @throws RowError where the journal has it otherwise
 */
function knownAs({ fill, stated }: IncomingFill, table: FillTable): Fill | undefined {
  const known = table.find(fill.id);
  const comparable = known ? [known] : table.partsOf(fill.execution_id).filter(({ part }) => part !== ADOPTED_PART);
  for (const other of comparable) {
    const differing = FACTS.find((name) => {
      if (name === 'quantity' && other.part !== fill.part) return false;
      // Who names no account contradicts nobody.
      if (name === 'account' && (other.account === null || fill.account === null)) return false;
      return other[name] !== fill[name];
    });
    if (differing !== undefined) {
      throw new RowError(
        differing,
        `the journal has this fill of ${fill.symbol} with ${quote(other[differing])}, and here it is ${quote(fill[differing])}: undo the import that brought it ("journal-api import list"), or read this file as that one was (--timezone, --account)`,
        stated.line,
      );
    }
  }
  return known;
}

/** Fills that look the same as those of another format of the platform. */
function refuseTwins(added: readonly IncomingFill[], table: FillTable): void {
  let count = 0;
  let example: { fill: Fill; twin: Fill; line: number } | undefined;
  for (const { fill, stated } of added) {
    const twin = table.alike(fill).find((other) => isTwin(fill, other));
    if (!twin) continue;
    count++;
    example ??= { fill, twin, line: stated.line };
  }
  if (!example) return;
  const { fill, twin, line } = example;
  const account =
    twin.account === fill.account
      ? ''
      : twin.account === null
        ? ', without an account'
        : `, in account ${twin.account}`;
  throw new UserError(
    `${count === 1 ? 'a fill' : `${count} fills`} of this file (the first on line ${line}, ${fill.symbol}) ${count === 1 ? 'is' : 'are'} in the journal already, as ${twin.format}${account}: imported again ${count === 1 ? 'it' : 'they'} would count twice; --twins if ${count === 1 ? 'it is another' : 'they are others'}`,
  );
}

/** Within a format, ids tell which fills are the same. */
function isTwin(fill: Fill, other: Fill): boolean {
  if (other.part === ADOPTED_PART || other.format === fill.format) return false;
  const isUnnamed = (other.account === null) !== (fill.account === null);
  return isUnnamed || other.account?.toLowerCase() === fill.account?.toLowerCase();
}
