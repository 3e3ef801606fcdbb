/** Writes trades: their executions, and the facts that follow from executions or prices where a file gives none. */
import type Database from 'better-sqlite3';
import type * as z from 'zod';
import type { ListResource } from '../journal/resource.ts';
import { roundMoney } from '../money.ts';
import { type Execution, inOrder, positionOf, realisedBy } from './executions.ts';
import { explainIssue } from './explain.ts';
import { normaliserOf } from './normalise.ts';
import { RecordWriter, same, type Values, type WriteSettings } from './record-writer.ts';
import { RowError } from './row-error.ts';
import { executionList, SHOWN_OF_OTHERS } from './single-trade.ts';

/** What gross_pnl is computed from. */
const PRICED_BY = ['side', 'status', 'quantity', 'open_quantity', 'multiplier', 'entry_price', 'exit_price'];

const normaliseList = normaliserOf(executionList);

export class TradeWriter extends RecordWriter {
  protected override readonly extras = ['executions', ...SHOWN_OF_OTHERS];
  readonly #findExecutions: Database.Statement;
  readonly #deleteExecutions: Database.Statement;
  readonly #insertExecution: Database.Statement;
  /** What the trade being written gets as its executions; undefined where they stay. */
  #executions: Execution[] | undefined;

  constructor(db: Database.Database, resource: ListResource & { table: string }, settings: WriteSettings) {
    super(db, resource, settings);
    this.#findExecutions = db.prepare(
      'SELECT executed_at, side, quantity, price, fees FROM executions WHERE user_id = ? AND trade_id = ? ORDER BY executed_at, position',
    );
    this.#deleteExecutions = db.prepare('DELETE FROM executions WHERE user_id = ? AND trade_id = ?');
    this.#insertExecution = db.prepare(
      'INSERT INTO executions (user_id, trade_id, position, executed_at, side, quantity, price, fees) VALUES (?, ?, ?, ?, ?, ?, ?, ?)',
    );
  }

  protected override complete(whole: Values, given: Values, before: Values | undefined, row: Values): boolean {
    const executions = this.#executionsOf(row);
    const stored = before && executions ? this.#storedExecutions(String(whole['id'])) : [];
    const replaced = executions !== undefined && !same(executions, stored);
    this.#executions = replaced ? executions : undefined;

    if (this.settings.account !== undefined) whole['account'] ??= this.settings.account;
    if (replaced && executions.length > 0) fillFromExecutions(whole, given, executions);
    if (given['open_quantity'] === undefined) {
      if (whole['status'] === 'closed') whole['open_quantity'] = 0;
      else if (!before && !executions?.length) whole['open_quantity'] = whole['quantity'];
    }
    this.#fillRate(whole, given, before);

    const repriced = !before || replaced || PRICED_BY.some((name) => whole[name] !== before[name]);
    if (given['gross_pnl'] === undefined && repriced) {
      const fills = executions ?? (whole['status'] === 'open' ? this.#storedExecutions(String(whole['id'])) : []);
      whole['gross_pnl'] = grossPnl(whole, fills);
    }
    return replaced;
  }

  protected override writeRest(id: string): void {
    if (!this.#executions) return;
    const { user } = this.settings;
    this.#deleteExecutions.run(user.id, id);
    this.#executions.forEach((fill, position) => {
      this.#insertExecution.run(
        user.id,
        id,
        position,
        fill.executed_at,
        fill.side,
        fill.quantity,
        fill.price,
        fill.fees,
      );
    });
  }

  #executionsOf(row: Values): Execution[] | undefined {
    if (row['executions'] === undefined) return undefined;
    const value = normaliseList?.(row['executions'], this.settings.timeZone, 'executions');
    const parsed = executionList.safeParse(value);
    if (parsed.success) return inOrder(parsed.data);
    const issue = parsed.error.issues[0] as z.core.$ZodIssue;
    throw explainIssue({ ...issue, path: ['executions', ...issue.path] }, {}, { executions: value });
  }

  #storedExecutions(id: string): Execution[] {
    return this.#findExecutions.all(this.settings.user.id, id) as Execution[];
  }

  /** A trade in the user's base currency has rate 1, which is stored as none at all. */
  #fillRate(whole: Values, given: Values, before: Values | undefined): void {
    const { base_currency: base } = this.settings.user;
    if (before?.['currency'] === base) before['fx_rate'] = null;
    if (whole['currency'] !== base) return;
    const rate = given['fx_rate'] ?? null;
    if (rate !== null && rate !== 1) {
      throw new RowError(
        'fx_rate',
        `must be 1 or left out for a trade in the user's base currency (${base}); got ${rate}`,
      );
    }
    whole['fx_rate'] = null;
  }
}

function fillFromExecutions(whole: Values, given: Values, executions: Execution[]): void {
  const position = positionOf(executions);
  const names = [
    'side',
    'status',
    'executed_at',
    'closed_at',
    'quantity',
    'open_quantity',
    'entry_price',
    'exit_price',
    'fees',
  ] as const;
  for (const name of names) {
    if (given[name] !== undefined) continue;
    if (!position) {
      throw new RowError(
        'executions',
        'turn the position through zero: a trade ends where it is flat, and what follows is another',
      );
    }
    whole[name] = position[name];
  }
}

function grossPnl(whole: Values, executions: Execution[]): number {
  const multiplier = whole['multiplier'] as number;
  if (executions.length > 0) {
    const realised = realisedBy(executions, multiplier);
    const flat = positionOf(executions)?.status === 'closed';
    if (realised !== undefined && (flat || whole['status'] === 'open')) return realised;
    throw new RowError('gross_pnl', "is missing, and can't be computed: the executions do not end flat");
  }
  if (whole['status'] === 'open') return 0;
  const { quantity, entry_price: entry, exit_price: exit } = whole;
  // What else is missing is named by the check of the whole record.
  if (exit === null) throw new RowError('gross_pnl', "is missing, and can't be computed without exit_price");
  const points = Number(exit) - Number(entry);
  const gross = (whole['side'] === 'long' ? points : -points) * Number(quantity) * multiplier;
  return Number.isFinite(gross) ? roundMoney(gross) : gross;
}
