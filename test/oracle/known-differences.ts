/**
 * Differences that are known: what undo leaves of one execution that two accounts have, and labels
 * for which there are several trades once their line is given without another. Each entry names
 * its case as narrowly as the lines allow. Remove an entry once undo is right, and never add one for
 * a difference that isn't understood.
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
const isOf = (
  difference: Difference,
  table: Difference['table'],
  fields: readonly string[],
) =>
  difference.table === table &&
  difference.fields.length > 0 &&
  difference.fields.every((name) => fields.includes(name));

const isFile = (given: Given, ending: RegExp) =>
  given.do === 'import' && ending.test(given.file);

const accountOf = (given: Given) =>
  given.do === 'import' || given.do === 'change' ? [given.account] : [];

/** Files of fills in the same future. */
const OF_FILLS = /^(first|second|merging)\.csv$/;

const isLost = (difference: Difference, of: Case) =>
  ['trades', 'executions', 'fills'].includes(difference.table) &&
  difference.undone === undefined &&
  (isFile(of.undone.given, OF_FILLS) || of.undone.given.do === 'rename');

const isOfFees = (difference: Difference, of: Case) =>
  of.undone.given.do === 'fees' &&
  (isOf(difference, 'trades', ['fees', 'net_pnl']) ||
    isOf(difference, 'executions', ['fees']));

/** Whether rows of the undone line are only a part of a trade that a file labels. */
const isOfDividedLabels = (difference: Difference, of: Case) =>
  isOf(difference, 'trades', ['setup', 'tags', 'fields']) &&
  of.lines.some(({ given }) => {
    if (given.do !== 'labels') return false;
    const lines = given.trade.parts.map((places) => places.map(({ line }) => line));
    return (
      lines.some((some) => some.includes(of.undone.id)) &&
      lines.some((some) => !some.includes(of.undone.id))
    );
  });

/** Files with cash flows; those of MetaTrader have a closed trade, too. */
const OF_FLOWS = /^((later-)?(days|times)\.csv|(statement|unnamed)\.htm)$/;

const isOfFlows = ({ table, undone, replayed }: Difference) => {
  const { id, trade_id } = undone ?? replayed ?? {};
  return table === 'cash_flows' || /^metatrader:/.test(String(trade_id ?? id));
};

/** Whether files with the same flows name an account and none: their rows are joined when read. */
const areFlowsJoined = (difference: Difference, of: Case) => {
  const files = of.lines.filter(
    ({ given }) => isFile(given, OF_FLOWS) || given.do === 'change',
  );
  const accounts = files.flatMap(({ given }) => accountOf(given));
  const areNamed = of.lines.some(
    ({ given }) =>
      (given.do === 'rename' && given.from === null) || isFile(given, /^statement\.htm$/),
  );
  return (
    isOfFlows(difference) &&
    accounts.includes(null) &&
    (areNamed || accounts.some((name) => name !== null))
  );
};

/**
 * Whether a file without an account came into the account that the undone rename gave to the
 * trades of a file that names one: both state one trade, which stays in one account.
 */
const isJoinedByRename = (difference: Difference, { lines, undone }: Case) => {
  const { given } = undone;
  if (given.do !== 'rename' || !isLost(difference, { lines, undone })) return false;

  const isUnnamedThere = lines.some(
    (line) =>
      isFile(line.given, /^unnamed\.htm$/) && accountOf(line.given)[0] === given.to,
  );
  const isNamed = lines.some((line) => isFile(line.given, /^statement\.htm$/));
  return isOfFlows(difference) && isUnnamedThere && isNamed;
};

const KNOWN: readonly Known[] = [
  {
    reason:
      'a fill that two accounts have is one execution: it is lost with the file of one, or keeps fees',
    isIt: (difference, of) =>
      (isLost(difference, of) || isOfFees(difference, of)) &&
      new Set(
        of.lines.flatMap(({ given }) =>
          isFile(given, OF_FILLS) ? accountOf(given) : [],
        ),
      ).size > 1,
  },
  {
    reason:
      'a cash flow of files that name an account and none is in that account, or in both',
    isIt: areFlowsJoined,
  },
  {
    reason:
      'a trade of a file that names its account, and of one without, is one: undoing the rename that joined them leaves it in one account',
    isIt: isJoinedByRename,
  },
  {
    reason:
      'labels of a trade of several lines are of another one of them, given without a line',
    isIt: isOfDividedLabels,
  },
];

/** The reasons of known differences; undefined if one isn't known. */
export function reasonsOf(
  differences: readonly Difference[],
  of: Case,
): string[] | undefined {
  const reasons = differences.map(
    (difference) => KNOWN.find(({ isIt }) => isIt(difference, of))?.reason,
  );
  return reasons.includes(undefined) ? undefined : [...new Set(reasons as string[])];
}
