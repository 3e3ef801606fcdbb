/**
 * All records of a user, oldest first, one at a time, with the facts that import reads.
 */
import { type Reader, type Row, TEXT } from '../sqlite/reader.ts';
import { factsOf } from './fields.ts';
import type { User } from './journal.ts';
import type { ListResource } from './resource.ts';
import { execution, trades } from './resources/trades.ts';
import { type RecordShape, recordShape } from './stored-value.ts';

const EXECUTIONS = recordShape(execution);

/** Names of the fields with facts: all except derived ones. */
export function factNames({ record: { shape } }: ListResource): string[] {
  return Object.keys(shape).filter((name) => !factsOf(shape[name]).derived);
}

function factShape(resource: ListResource): RecordShape {
  const facts = new Set(factNames(resource));
  return recordShape(
    resource.record,
    Object.keys(resource.record.shape).filter((name) => !facts.has(name)),
  );
}

/**
 * @param resource a resource with its own table
 * @returns records with money in their own currency; trades with executions, and without
 * a rate if in the base currency
 */
export function everyRecord(
  reader: Reader,
  user: User,
  resource: ListResource,
): IteratorObject<Row> {
  const { columns, toRecord } = factShape(resource);
  const order = [resource.orderBy, ...resource.tieBreak].join(', ');
  const isTrades = resource.path === trades.path;
  // A trade's view computes what is left out here.
  const source = isTrades ? resource.table : resource.source;
  const sql = `SELECT ${columns} FROM ${source} WHERE user_id = ${TEXT} ORDER BY ${order}`;

  return Iterator.from(reader.each(sql, user.id)).map((row) => {
    const record = toRecord(row);
    if ('fx_rate' in record && record['currency'] === user.base_currency)
      record['fx_rate'] = null;
    if (isTrades) {
      record['executions'] = executionsOf(reader, user, record['id'] as string);
    }
    return record;
  });
}

function executionsOf(reader: Reader, user: User, tradeId: string): Row[] {
  return reader
    .all(
      `SELECT ${EXECUTIONS.columns} FROM executions WHERE user_id = ${TEXT} AND trade_id = ${TEXT} ORDER BY executed_at, position`,
      user.id,
      tradeId,
    )
    .map(EXECUTIONS.toRecord);
}
