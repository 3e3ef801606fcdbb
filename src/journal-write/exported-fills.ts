/** Fills in an export: the rows of the table, each with the imports that state it. Not a list of the API. */
import * as z from 'zod';
import * as f from '../journal/fields.ts';
import type { User } from '../journal/journal.ts';
import { resource } from '../journal/resource.ts';
import { market } from '../journal/resources/common.ts';
import type { Reader, Row } from '../sqlite/reader.ts';
import { TEXT } from '../sqlite/reader.ts';
import { FILL_COLUMNS, FILL_EFFECTS, FILL_KINDS, type StatedFees, withFlags } from './fill-row.ts';

/** The statement of a fill by an import: its place in the file, and its fees. */
export interface Statement extends StatedFees {
  import: number;
  place: number;
}

export const fills = resource({
  path: 'fills',
  name: 'Fill',
  title: 'fills',
  description: 'Fills stated by platforms, from which trades are made.',
  scope: 'trades:read',
  table: 'fills',
  source: 'fills',
  orderBy: 'executed_at',
  orderKind: 'instant',
  tieBreak: ['id'],
  record: z.strictObject({
    id: f.text('Format and identity'),
    execution_id: f.text('Shared by the parts of one execution'),
    part: f.orNull(f.text('Part of the execution; null: the whole')),
    platform: f.text('Platform'),
    format: f.text('Format of the first file that stated it'),
    account: f.orNull(f.text('Account')),
    symbol: f.symbol('Ticker or contract'),
    market: market(),
    currency: f.currency('Currency of price and fees'),
    underlying: f.orNull(f.text('Underlying')),
    expiration: f.orNull(f.expiration('Last day of the contract')),
    strike: f.orNull(f.number('Strike')),
    option_type: f.orNull(f.choice(['call', 'put'], 'Kind of option')),
    multiplier: f.positive('Money per point and unit'),
    executed_at: f.instant('Time'),
    kind: f.choice(FILL_KINDS, 'Kind of event'),
    side: f.orNull(f.choice(['buy', 'sell'], 'Side; null: closes the position')),
    quantity: f.orNull(f.positive('Units; null: the whole position')),
    price: f.number('Price'),
    fees: f.number('Costs; negative for a rebate'),
    fee_quantity: f.number('A fee paid in the traded coin'),
    effect: f.orNull(f.choice(FILL_EFFECTS, 'Effect stated by the file')),
    may_short: f.flag('Whether it may open a short'),
    rate_base: f.orNull(f.text('Target currency of the rate')),
    rate: f.orNull(f.positive('1 unit of the currency in rate_base')),
    former_symbol: f.orNull(f.text('Former symbol')),
    has_time: f.flag('Whether the file states a time, not only a date'),
    order_id: f.orNull(f.text("The platform's order")),
    fees_stated: f.flag('Whether a file states the fees, even as 0'),
    stated: f.list(
      f.item({
        import: f.count('Import'),
        place: f.count('Place in its file'),
        fees: f.number('Fees stated there'),
        fees_stated: f.flag('Whether the fees are stated there'),
      }),
      'The imports that state it',
    ),
  }),
  filters: {},
});

/** Iterates all fills of a user by instrument, then by time. */
export function* everyFill(reader: Reader, user: Pick<User, 'id'>): Generator<Row> {
  const stated = `SELECT json_group_array(json_object('import', p.import_id, 'place', p.place, 'fees', p.fees,
      'fees_stated', json(iif(p.fees_stated, 'true', 'false'))))
    FROM import_fills AS p WHERE p.user_id = f.user_id AND p.fill_id = f.id`;
  const rows = reader.each(
    `SELECT ${FILL_COLUMNS.map((name) => `f.${name}`).join(', ')}, (${stated}) AS stated FROM fills AS f
     WHERE f.user_id = ${TEXT} ORDER BY f.platform, f.symbol, f.executed_at, f.id`,
    user.id,
  );
  for (const row of rows) {
    yield { ...withFlags(row as Row & Parameters<typeof withFlags>[0]), stated: JSON.parse(row['stated'] as string) };
  }
}
