/** The texts of a record that q searches, as an SQL expression. */
import type * as z from 'zod';
import { NUMBER, TEXT } from '../sqlite/reader.ts';
import { factsOf } from './fields.ts';
import type { ListResource } from './resource.ts';
import { RECORD_BYTES } from './response-size.ts';
import { octetsOf } from './row-mapper.ts';

const conditions = new Map<ListResource, string>();

/**
 * A condition for records with all words of a query. It binds the maximum octets of a record, and the query. A larger record ends the
 * statement with an error. A record larger than any response counts as a match, so that it is reported.
 */
export function searchSql(resource: ListResource): string {
  let sql = conditions.get(resource);
  if (sql === undefined) {
    const { texts, lists, octets } = searched(resource);
    const columns = [...texts, ...lists].join(', ');
    sql = `CASE WHEN ${octets} > ${RECORD_BYTES} THEN 1 WHEN ${octets} <= ${NUMBER} THEN has_words(${TEXT}, ${texts.length}, ${columns})
      ELSE zeroblob(2000000000) END`;
    conditions.set(resource, sql);
  }
  return sql;
}

/** The trader's texts and labels: no ids, currencies or values of the program. */
function searched({ record, metrics }: ListResource) {
  const texts: string[] = [];
  const lists: string[] = [];
  const octets: string[] = [];
  for (const [name, schema] of Object.entries(record.shape) as [string, z.ZodType][]) {
    const { kind, derived, values, isCode } = factsOf(schema);
    if (derived || values || isCode || (name === 'metrics' && metrics)) continue;
    if (kind === 'text') texts.push(name);
    else if (kind === 'json') lists.push(name);
    else continue;
    octets.push(octetsOf(name, schema));
  }
  return { texts, lists, octets: octets.join(' + ') };
}
