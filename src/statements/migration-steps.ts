/** Steps of migrations that SQL can't do, in the order of their versions. */
import type { MigrationSteps } from '../journal-write/migrate.ts';
import { makeStatements } from './upgrade/step-10.ts';
import { nameGroups } from './upgrade/step-11.ts';

export const MIGRATION_STEPS: MigrationSteps = new Map([
  [10, makeStatements],
  [11, nameGroups],
]);
