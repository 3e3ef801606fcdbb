/**
 * Runs a command that changes records: its line in the list of imports, and the report.
 */

import { type Edit, type EditReport, edit } from '../../edit/edit.ts';
import { quote } from '../../errors.ts';
import type { ListResource } from '../../journal/resource.ts';
import { trades } from '../../journal/resources/trades.ts';
import { same, type Values } from '../../journal-write/record.ts';
import {
  note,
  type Options,
  print,
  printJson,
  shellWord,
  targetOf,
  undoHint,
} from './command.ts';

/** Runs a change in one transaction and reports it. */
export function runEdit(
  name: string,
  resource: ListResource,
  options: Options,
  act: (edit: Edit) => void,
): void {
  const report = edit(targetOf(options), { name, line: lineOf(), resource }, act);
  // Pruning without a change prints nothing.
  if (report.records.length > 0 || name !== 'prune')
    showEdit(report, options.json === true);
}

const LONGEST = 200;

/** The command as typed, without the paths of the journal's files. */
function lineOf(): string {
  const words = process.argv.slice(2);
  const takesPath = (word: string | undefined) =>
    /^--(home|db|keys|secret-file|user)$/.test(word ?? '');
  const typed = words.filter(
    (word, index) =>
      !takesPath(word) &&
      !takesPath(words[index - 1]) &&
      !/^--(yes|json|home=.*|db=.*|user=.*)$/.test(word),
  );
  const line = typed.map(shellWord).join(' ');

  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

/** Prints each record with its changed fields, and the command to undo. */
function showEdit(report: EditReport, json: boolean): void {
  if (json) return printJson(report);

  const changed = report.records.filter(({ change }) => change !== 'unchanged');
  for (const { resource, id, change, before, after } of changed) {
    const fields = change === 'removed' ? '' : fieldsOf(before, after ?? {});
    print(
      `${change} ${id} (${aboutOf(resource, after ?? before ?? {})})${fields === '' ? '' : `: ${fields}`}`,
    );
  }

  const same = report.records.length - changed.length;
  if (same > 0) note(`${same === 1 ? '1 record is' : `${same} records are`} unchanged.`);
  if (report.dry_run) note('Dry run: nothing was written.');
  else if (report.import === null) note('Nothing changed.');
  else note(undoHint(report.import));
}

/** Description of a record; a trade's id alone is not enough. */
function aboutOf(resource: string, { symbol, side, executed_at }: Values): string {
  return resource === trades.path ? `${symbol} ${side}, ${executed_at}` : resource;
}

function fieldsOf(before: Values | null, after: Values): string {
  return Object.keys(after)
    .filter(
      (name) =>
        !STAMPS.includes(name) &&
        !same(before?.[name] ?? null, after[name]) &&
        !isEmpty(after[name], before),
    )
    .map((name) =>
      before
        ? `${name} ${quote(before[name])} -> ${quote(after[name])}`
        : `${name} ${quote(after[name])}`,
    )
    .join(', ');
}

const STAMPS = ['id', 'created_at', 'updated_at'];

/** Whether a value of a new record is empty, and so not shown. */
function isEmpty(value: unknown, before: Values | null): boolean {
  if (before !== null) return false;
  return value === null || (typeof value === 'object' && Object.keys(value).length === 0);
}
