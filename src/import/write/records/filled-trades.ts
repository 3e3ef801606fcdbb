/** Compares records of trades with their fills: labels, notes and risk are the user's, facts come from the fills. */

import { quote, RowError } from '../../../errors.ts';
import type { FillTable } from '../../../import-tables/fills.ts';
import {
  type GivenRecord,
  same,
  type Values,
  type WholeRecord,
  type WriteSettings,
} from '../../../journal-write/record.ts';
import { walkBefore } from '../../fills/make-trades.ts';
import { executionsOf, WALKED_FIELDS, type WalkedTrade, walkedFields } from '../../fills/trade-record.ts';

/** Fields that the fills decide if they state them. */
const FACTS = WALKED_FIELDS.filter((name) => !['fx_rate', 'underlying', 'source'].includes(name));

export class FilledTrades {
  readonly #fills: FillTable;
  readonly #baseCurrency: string;

  constructor(fills: FillTable, { user }: Pick<WriteSettings, 'user'>) {
    this.#fills = fills;
    this.#baseCurrency = user.base_currency;
  }

  /**
   * The record without the facts that its fills decide: those must be equal, or rounded.
   * @param given normalised values
   * @throws RowError with both values if they contradict
   */
  settled(given: GivenRecord, stored: WholeRecord): GivenRecord {
    const names = FACTS.filter((name) => isOther(given.record[name], stored.record[name]));
    const areOther = given.executions !== undefined && !same(given.executions, stored.executions);
    const trade = names.length > 0 || areOther ? this.#walked(stored.record['id'] as string) : undefined;
    if (!trade) return given;
    const walked: Values = walkedFields(trade, this.#baseCurrency);
    const record = { ...given.record };
    for (const name of names) {
      if (walked[name] === null && name !== 'exit_price' && name !== 'closed_at') continue;
      if (name === 'fees' && !this.#statesFees(trade)) continue;
      const isAsStored = record[name] === null || agrees(record[name], stored.record[name]);
      if (!isAsStored && !agrees(record[name], walked[name])) throw contradiction(name, record[name], walked[name]);
      if (isAsStored) delete record[name];
      else record[name] = walked[name];
    }
    if (areOther && !agrees(given.executions, executionsOf(trade)) && !agrees(given.executions, stored.executions)) {
      throw new RowError('executions', `differ from the fills of this trade; ${REMEDY}`);
    }
    return { record, executions: areOther ? undefined : given.executions };
  }

  /** Whether a file states fees of any of its fills: the user may set fees that files omit or state as 0. */
  #statesFees({ executions }: WalkedTrade): boolean {
    return executions.some(({ fill }) =>
      this.#fills.partsOf(fill).some(({ fees, fees_stated }) => fees_stated && fees !== 0),
    );
  }

  /** The trade made by its fills; undefined without fills. */
  #walked(id: string): WalkedTrade | undefined {
    const fills = this.#fills.partsOf(id).filter(({ state }) => state !== 'adopted');
    if (fills.length === 0) return undefined;
    return walkBefore(fills, this.#fills)
      .flatMap(({ trades }) => trades)
      .find((trade) => trade.id === id);
  }
}

function isOther(given: unknown, stored: unknown): boolean {
  return given !== undefined && given !== stored;
}

const REMEDY = 'omit the field, or undo the import of the fills ("journal-api import list")';

function contradiction(name: string, given: unknown, walked: unknown): RowError {
  return new RowError(
    name,
    `${quote(given)} in this row, but the fills of this trade give ${quote(walked)}; ${REMEDY}`,
  );
}

/** Equal to the given digits of a number, or to the minute or second of a time. */
function agrees(given: unknown, actual: unknown): boolean {
  if (typeof given === 'number' && typeof actual === 'number') {
    const apart = Math.abs(given - actual);
    return apart <= halfOfLastDigit(given) + 1e-9 * Math.max(1, Math.abs(actual));
  }
  if (Array.isArray(given) && Array.isArray(actual)) {
    return given.length === actual.length && given.every((item, index) => agrees(item, actual[index]));
  }
  if (typeof given === 'object' && typeof actual === 'object' && given !== null && actual !== null) {
    return Object.entries(given).every(([name, value]) => agrees(value, (actual as Values)[name]));
  }
  return typeof given === 'string' && typeof actual === 'string' ? isSameText(given, actual) : given === actual;
}

/** Half a unit of a number's last digit: 0.005 for 1.25, 0.5 for 376. */
function halfOfLastDigit(value: number): number {
  const [digits, exponent = '0'] = String(value).split('e') as [string, string?];
  const decimals = digits.split('.')[1]?.length ?? 0;
  return 0.5 * 10 ** (Number(exponent) - decimals);
}

/** Ignores letter case; a time without seconds, or without their fraction, matches any within. */
function isSameText(given: string, actual: string): boolean {
  const end = [':00.000Z', '.000Z'].find((own) => given.endsWith(own));
  const isWithin = end !== undefined && actual.endsWith('Z') && actual.startsWith(given.slice(0, -end.length));
  return isWithin || given.toLowerCase() === actual.toLowerCase();
}
