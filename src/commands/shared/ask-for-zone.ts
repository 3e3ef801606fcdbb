/**
 * The time zone of a user who has set none, asked at the terminal before the first
 * import. Without one UTC, because a server's zone needn't be its trader's.
 */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { filesOf } from '../../config.ts';
import { USER_FILE } from '../../import/files/plan.ts';
import { importPaths, planFiles } from '../../import/index.ts';
import { backUpBeforeImport } from '../../journal-write/backups.ts';
import { userFor, writeJournal } from '../../journal-write/open.ts';
import { DEFAULT_ZONE, zoneProblem } from '../../journal-write/users.ts';
import { fileExists } from '../../sqlite/create-file.ts';
import { changeUser } from '../../statements/days.ts';
import { listImports } from '../../statements/import-list.ts';
import { targetOf } from './command.ts';
import { type ImportCommandOptions, importOptions } from './import-options.ts';
import { asked, type Terminal, terminalHere } from './terminal.ts';

/**
 * @returns the zone of a user that this import creates or sets; undefined if none is
 * asked for
 */
export async function zoneOfNewUser(
  paths: readonly string[],
  options: ImportCommandOptions,
): Promise<string | undefined> {
  const { journal } = filesOf(options);
  // An exported journal has its user's settings.
  if (options.dryRun || paths.some((path) => fileExists(join(path, USER_FILE))))
    return undefined;

  const isReal = paths.every((path) => path === '-' || existsSync(path));
  const terminal = isReal ? terminalHere() : undefined;
  if (!terminal) return undefined;
  if (!fileExists(journal)) return askForZone(terminal, `No journal at ${journal} yet.`);
  if (
    options.timezone !== undefined ||
    !isZoneUnset(options) ||
    !(await readsAssumedZone(paths, options))
  )
    return undefined;

  const zone = await askForZone(
    terminal,
    'The file has times without a zone, and your journal has no time zone yet.',
  );
  setUnsetZone(zone, options);
  return zone;
}

function askForZone(terminal: Terminal, why: string): Promise<string> {
  const { timeZone } = new Intl.DateTimeFormat().resolvedOptions();
  const suggested = isZone(timeZone) ? timeZone : DEFAULT_ZONE;
  const zoneIn = (typed: string) => typed || suggested;

  return asked(
    terminal,
    `${why} What is the time zone of your trading days? [${suggested}] `,
    (typed) => (isZone(zoneIn(typed)) ? zoneIn(typed) : undefined),
    (typed) => `The time zone ${zoneProblem(typed)}`,
  );
}

function isZone(name: string): boolean {
  return zoneProblem(name) === undefined;
}

/** Whether a user with the default time zone has imported nothing yet. */
function isZoneUnset(options: ImportCommandOptions): boolean {
  const { journal, user } = targetOf(options);
  return (
    userFor(journal, user).timezone === DEFAULT_ZONE &&
    listImports({ journal, user }).length === 0
  );
}

/** Whether any of the files has times that are read in the user's time zone. */
async function readsAssumedZone(
  paths: readonly string[],
  options: ImportCommandOptions,
): Promise<boolean> {
  if (paths.length === 0 || paths.includes('-')) return false;
  try {
    const attempt = importOptions(paths, { ...options, dryRun: true });
    const { notices } = importPaths(attempt, await planFiles(attempt));
    return notices.some(
      ({ code }) => code === 'assumed_zone' || code === 'unlikely_zone',
    );
  } catch {
    // The import itself reports what is wrong.
    return false;
  }
}

/** Unless another program has set the time zone or imported something meanwhile. */
function setUnsetZone(timezone: string, options: ImportCommandOptions): void {
  const { journal, backups, user } = targetOf(options);
  const { id } = userFor(journal, user);
  const backUp = (now: string) => backUpBeforeImport(journal, backups, now);

  writeJournal(journal, (db) =>
    db
      .transaction(() => {
        if (isZoneUnset(options))
          changeUser(db, id, { timezone }, { now: Date.now(), backUp });
      })
      .immediate(),
  );
}
