/** Parameter names of other APIs, by name here: such a parameter suggests the first of these that an endpoint has. */
const USUAL_NAMES: readonly (readonly [ours: readonly string[], theirs: string])[] = [
  [['start'], 'from since after begin start_date start_time date_from from_date min_date date_start day date'],
  [['end'], 'to until before end_date end_time date_to to_date max_date date_end till'],
  [['period', 'start'], 'period days window range last lookback'],
  [['symbol'], 'ticker instrument asset pair contract symbols'],
  [['underlying', 'symbol'], 'root underlying_symbol base'],
  [['cursor'], 'page offset skip next page_token next_cursor after_id starting_after continue'],
  [['limit', 'top'], 'limit top per_page page_size count size take first max max_results n'],
  [['q'], 'search query text keyword keywords term contains find'],
  [['sort', 'order'], 'sort_by order_by sort_field sort_key'],
  [['order'], 'direction sort_order sort_direction sort_dir reverse asc desc ascending descending'],
  [['fields'], 'select include columns only field'],
  [['group_by'], 'group_by by dimension breakdown'],
  [['sections'], 'section parts include'],
  [['setup'], 'strategy pattern setups'],
  [['tag'], 'tags label labels'],
  [['mistake'], 'mistakes error errors'],
  [['emotion'], 'emotions mood feeling'],
  [['status'], 'state open closed is_open'],
  [['outcome'], 'result win win_loss'],
  [['market', 'type'], 'asset_class instrument_type asset_type type'],
  [['side'], 'long_short position_side action'],
  [['account'], 'account_id portfolio accounts'],
  [['group_id'], 'group'],
  [['trade_id'], 'trade'],
  [['min_net_pnl'], 'min_pnl min_profit pnl_min pnl_gte'],
  [['max_net_pnl'], 'max_pnl max_profit pnl_max pnl_lte'],
];

/** Names of a key, which belongs in a header. */
export const KEY_NAMES = ['api_key', 'key', 'token', 'access_token', 'x_api_key', 'authorization', 'auth', 'bearer'];

/** A name without case, hyphens and underscores: sortBy equals sort_by. */
export const plainName = (name: string) => name.toLowerCase().replace(/[-_]/g, '');

const OURS = new Map<string, readonly string[]>();
for (const [ours, theirs] of USUAL_NAMES) {
  for (const name of theirs.split(' ').map(plainName)) OURS.set(name, [...(OURS.get(name) ?? []), ...ours]);
}

/** Names here for a usual name: several if it depends on the endpoint. */
export function ourNamesFor(name: string): readonly string[] {
  return OURS.get(plainName(name)) ?? [];
}
