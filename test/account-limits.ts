/** Limits of accounts in the journal of a world. */
import type { AccountRules } from '../src/journal/analytics/account-rules.ts';
import type { World } from './helpers.ts';

const RULES: AccountRules = {
  ...{
    balance: 50_000,
    max_loss: 2000,
    trailing: 'static',
    locks_at: null,
    daily_loss: null,
    target: null,
  },
  ...{
    best_day: null,
    min_days: null,
    min_day_profit: null,
    day_ends: null,
    timezone: null,
    since: null,
  },
  currency: null,
};

/** Writes limits into the journal of a world, as `limits set` does. */
export function setRules(
  world: World,
  account: string,
  rules: Partial<AccountRules>,
  user = 'me',
  id = 1,
): void {
  const isThere = world.db
    .prepare('SELECT 1 FROM imports WHERE user_id = ? AND id = ?')
    .get(user, id);
  if (!isThere) {
    const entry = {
      imported_at: '2026-01-02T00:00:00.000Z',
      file: 'limits set',
      format: 'limits',
      resource: 'limits',
    };
    world.insert('imports', {
      user_id: user,
      id,
      ...entry,
      rows: 1,
      fills: 0,
      records: 0,
      trades: 0,
    });
  }
  world.insert('account_limits', {
    user_id: user,
    import_id: id,
    account,
    ...RULES,
    ...rules,
  });
}
