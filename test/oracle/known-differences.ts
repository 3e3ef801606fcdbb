/**
 * Differences that undo is known to leave. It keeps what a line changed of a record, as values
 * before and after. So it can't know what a line states that the record had already, nor what
 * follows from other records. Each entry names its case as narrowly as the lines allow. Remove an
 * entry once undo is right, and never add one for a difference that isn't understood.
 */
import type { Given } from './commands.ts';
import type { Difference } from './compare.ts';
import type { Line } from './journals.ts';

/** A line that was undone, and what is different from a journal without it. */
export interface Case {
  /** All lines, with the undone one. */
  lines: readonly Line[];
  undone: Line;
}

interface Known {
  reason: string;
  isIt: (difference: Difference, of: Case) => boolean;
}

/** Whether only these fields of a record are different. */
const isOf = (difference: Difference, table: Difference['table'], fields: readonly string[]) =>
  difference.table === table &&
  difference.fields.length > 0 &&
  difference.fields.every((name) => fields.includes(name));

const laterThan = ({ lines, undone }: Case) => lines.filter(({ id }) => id > undone.id);

const isFile = (given: Given, ending: RegExp) => given.do === 'import' && ending.test(given.file);

const SESSION = ['started_at', 'notes', 'mood', 'review', 'name'];
const LABELS = ['setup', 'tags', 'rating', 'notes'];
const EXCURSIONS = ['mae', 'mfe', 'mae_bound', 'mfe_bound'];

const STATES_LABELS = ['labels', 'annotate'];

const isLabelling = ({ given }: Line) => STATES_LABELS.includes(given.do);

const accountOf = (given: Given) => (given.do === 'import' || given.do === 'change' ? [given.account] : []);

/** Files of fills in the same future. */
const OF_FILLS = /^(first|second|merging)\.csv$/;

/** Files about sessions of the same days. */
const OF_SESSIONS = /^(sessions|better|best)\.csv$|\.md$/;

/** Whether two files state a session, and the earlier one was undone. */
const isOfSession = (difference: Difference, of: Case) =>
  isOf(difference, 'sessions', SESSION) &&
  isFile(of.undone.given, OF_SESSIONS) &&
  laterThan(of).some(({ given }) => isFile(given, OF_SESSIONS));

const isLost = (difference: Difference, of: Case) =>
  ['trades', 'executions'].includes(difference.table) &&
  difference.undone === undefined &&
  (isFile(of.undone.given, OF_FILLS) || of.undone.given.do === 'rename');

const isOfFees = (difference: Difference, of: Case) =>
  of.undone.given.do === 'fees' &&
  (isOf(difference, 'trades', ['fees', 'net_pnl']) || isOf(difference, 'executions', ['fees']));

const isEmpty = (value: unknown) => value === null || value === undefined || value === '[]';

/** Whether a value lacks what another has. */
function isLess(value: unknown, other: unknown): boolean {
  if (isEmpty(value)) return true;
  if (typeof value !== 'string' || typeof other !== 'string' || !value.startsWith('[')) return false;
  const all: unknown[] = JSON.parse(other);
  return (JSON.parse(value) as unknown[]).every((label) => all.includes(label));
}

const KNOWN: readonly Known[] = [
  {
    reason: 'a fill that two accounts have is one execution: it is lost with the file of one, or keeps fees',
    isIt: (difference, of) =>
      (isLost(difference, of) || isOfFees(difference, of)) &&
      new Set(of.lines.flatMap(({ given }) => (isFile(given, OF_FILLS) ? accountOf(given) : []))).size > 1,
  },
];

/** The reasons of known differences; undefined if one isn't known. */
export function reasonsOf(differences: readonly Difference[], of: Case): string[] | undefined {
  const reasons = differences.map((difference) => KNOWN.find(({ isIt }) => isIt(difference, of))?.reason);
  return reasons.includes(undefined) ? undefined : [...new Set(reasons as string[])];
}
