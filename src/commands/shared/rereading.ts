/**
 * Kept files of imports that another revision of their reader read: what would differ, in
 * words, for several commands.
 */

import type { FieldDifference } from '../../edit/effects.ts';
import { ofOtherRevision, type RereadReport, rereadFiles } from '../../edit/reread.ts';
import { messageOf, UserError } from '../../errors.ts';
import { loadAll } from '../../import/on-demand.ts';
import { listUsers } from '../../journal/journal.ts';
import { readJournal } from '../../journal-write/open.ts';
import { counted, shellWord } from './command.ts';

/** Number of imports that are named. */
const NAMED = 10;

/** 3 imports read differently: 2 trades gain fees */
export function differencesIn({ different, ...report }: RereadReport): string {
  const verb = different.length === 1 ? 'reads' : 'read';
  return `${counted(different.length, 'import')} ${verb} differently: ${changesIn(report)}`;
}

function changesIn({ fields, trades, records }: Omit<RereadReport, 'different'>): string {
  const parts = fields.flatMap(wordsOfField);
  const { changed, added, removed } = trades;
  if (parts.length === 0 && changed > 0)
    parts.push(`${counted(changed, 'trade')} ${changed === 1 ? 'changes' : 'change'}`);
  if (added > 0)
    parts.push(`${counted(added, 'trade')} ${added === 1 ? 'is' : 'are'} new`);
  if (removed > 0)
    parts.push(`${counted(removed, 'trade')} ${removed === 1 ? 'goes' : 'go'}`);
  if (records > 0)
    parts.push(
      `${counted(records, 'other record')} ${records === 1 ? 'changes' : 'change'}`,
    );

  return parts.length > 0 ? parts.join(', ') : 'no trade and no other record changes';
}

/** By one trade, and by several. */
const VERBS = {
  gained: ['gains', 'gain'],
  lost: ['loses', 'lose'],
  changed: ['changes', 'change'],
} as const;

function wordsOfField({ field, ...counts }: FieldDifference): string[] {
  return (['gained', 'lost', 'changed'] as const).flatMap((name) => {
    const count = counts[name];
    const [one, several] = VERBS[name];
    return count === 0
      ? []
      : [`${counted(count, 'trade')} ${count === 1 ? one : several} ${field}`];
  });
}

/** 3 (a.csv), 4 (b.csv) and 2 more */
export function namesOf(imports: readonly { id: number; file: string }[]): string {
  const named = imports.slice(0, NAMED).map(({ id, file }) => `${id} (${file})`);
  const more = imports.length - named.length;
  return `${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

/** The kept files of one user that another revision read. */
export interface OtherRevision {
  user: string;
  count: number;
  /** As stored. */
  bytes: number;
}

/** @throws UserError if the journal can't be read */
export function otherRevisions(journal: string): OtherRevision[] {
  const users = readJournal(journal, (reader) => listUsers(reader));
  return users.flatMap(({ id: user }) => {
    const imports = ofOtherRevision({ journal, user });
    const bytes = imports.reduce((sum, import_) => sum + import_.bytes, 0);
    return imports.length === 0 ? [] : [{ user, count: imports.length, bytes }];
  });
}

/** Reads the files without writing. */
export function triedAgain(journal: string, { user }: OtherRevision): RereadReport {
  return rereadFiles({ journal, user, dryRun: true, now: Date.now() });
}

/** What reading the files again would do, with the command. */
export function outcomeOf(report: RereadReport, { count }: OtherRevision): string {
  const { different, failed, user } = report;
  const read = `${counted(count, 'kept file')} of user ${user} ${count === 1 ? 'was' : 'were'} read by another version's reader`;
  const left = failed.length === 0 ? '' : `; can't be read again: ${namesOf(failed)}`;
  if (different.length === 0)
    return `${read}; this version's reads ${count === 1 ? 'it' : 'them'} alike${left}.`;
  return `${read}; with this version's, ${differencesIn(report)}${left}. To apply: ${commandFor(user)}`;
}

function commandFor(user: string): string {
  return `journal-api import reread --user ${shellWord(user)}`;
}

/** Kept files that an upgrade reads at most: about ten seconds. */
const MOST_READ = { files: 100, bytes: 1_000_000 };

/**
 * For an upgrade, which doesn't fail if they can't be read: how many there are, and what
 * reading them again would do.
 */
export async function noticesAfterUpgrade(journal: string): Promise<string[]> {
  try {
    await loadAll();
    return otherRevisions(journal).map((revision) => noticeOn(journal, revision));
  } catch (error) {
    if (error instanceof UserError) return [];
    throw error;
  }
}

function noticeOn(journal: string, revision: OtherRevision): string {
  const { user, count, bytes } = revision;
  const verb = count === 1 ? 'was' : 'were';
  const unread = `${counted(count, 'kept file')} of user ${user} ${verb} read by another version's reader; to see how many read differently now: journal-api check --files`;
  if (count > MOST_READ.files || bytes > MOST_READ.bytes) return unread;

  try {
    return outcomeOf(triedAgain(journal, revision), revision);
  } catch (error) {
    if (!(error instanceof UserError)) throw error;
    return `${unread} (not done: ${messageOf(error)})`;
  }
}
