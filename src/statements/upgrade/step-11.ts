/** Groups that imports of version 10 and older named get the names of this version. */
import type Database from 'better-sqlite3';
import {
  isNameOfImport,
  type NamedLeg,
  type NamedPosition,
  positionName,
} from '../../journal/strategies.ts';

interface NamedGroup extends Omit<NamedPosition, 'legs'> {
  user_id: string;
  id: string;
  name: string;
}

export function nameGroups(db: Database.Database): void {
  const groups = db
    .prepare<[], NamedGroup>(
      'SELECT user_id, id, name, kind, underlying, strategy FROM trade_groups',
    )
    .all();
  const legsOf = db.prepare<[string, string], NamedLeg>(
    `SELECT symbol, underlying, expiration, strike, option_type FROM trades
     WHERE user_id = ? AND group_id = ? ORDER BY executed_at, id`,
  );
  const rename = db.prepare(
    'UPDATE trade_groups SET name = ? WHERE user_id = ? AND id = ?',
  );

  for (const group of groups) {
    if (!isNameOfImport(group.name)) continue;
    const legs = legsOf.all(group.user_id, group.id);
    if (legs.length > 0)
      rename.run(positionName({ ...group, legs }), group.user_id, group.id);
  }
}
