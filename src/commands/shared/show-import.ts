/** Prints the report of an import, and the commands that follow from it. */
import { UserError } from '../../errors.ts';
import { readBackLines } from '../../import/report/read-back.ts';
import {
  figuresOf,
  type ImportReport,
  isPlatformFile,
  outlookOf,
  rateLines,
  warningsOf,
  withoutFees,
} from '../../import/report/report.ts';
import { withoutKeys } from '../../keys/format.ts';
import {
  note,
  type Options,
  print,
  printData,
  printTable,
  shellWord,
} from './command.ts';

export function showImport(report: ImportReport, options: Options): void {
  const { json } = options;
  const platformFiles = report.files.filter(isPlatformFile);
  for (const { file, reason } of report.ignored) note(`skipped ${file}: ${reason}`);
  for (const file of report.files.filter(
    (listed) => json === true || !isPlatformFile(listed),
  )) {
    for (const { reason, count } of file.skipped)
      note(`${file.file}: skipped ${count}: ${reason}`);
  }

  for (const file of platformFiles) warningsOf(file, report.user).map(note);
  for (const file of report.files) rateLines(file).map(note);
  for (const { message, command } of report.notices)
    note(`${message}: ${command}${again(options)}`);
  if (report.dry_run) note('Dry run: nothing was written.');

  if (json) return printData(withoutKeys(JSON.stringify(report, null, 2)));

  for (const line of report.files.flatMap(readBackLines)) print(withoutKeys(line));
  printTable(report.files, {
    FILE: 'file',
    CONTENTS: 'resource',
    ADDED: 'added',
    CHANGED: 'changed',
    UNCHANGED: 'unchanged',
    SKIPPED: ({ skipped }) => skipped.reduce((sum, { count }) => sum + count, 0),
  });
  for (const file of platformFiles)
    for (const line of ['', ...figuresOf(file, report.timezone)]) print(line);
}

/** Maximum number of further symbols that are named. */
const MOST_NAMED = 4;

/** Missing fees make every result too good, so this is reported once per import. */
export function suggestFees(report: ImportReport, options: Options): void {
  const [first, ...more] = withoutFees(report);
  if (first === undefined) return;

  const others = more.length < MOST_NAMED ? more.map((name) => `, ${name}`).join('') : '';
  const count = others === '' && more.length > 0 ? ` and ${more.length} more` : '';
  const command = `journal-api fees set ${shellWord(`${first}=0.62`)}${again(options)}`;

  note(
    `No fees known for ${first}${others}${count}; set yours per contract and side, such as: ${command}`,
  );
}

/** The flags to type again in another command. */
function again({
  user,
  home,
}: {
  user?: string | undefined;
  home?: string | undefined;
}): string {
  const ofUser = user === undefined ? '' : ` --user ${shellWord(user)}`;
  const ofHome = home === undefined ? '' : ` --home ${shellWord(home)}`;
  return ofUser + ofHome;
}

/**
 * Prints the commands from an import to the first figures; after the first import one
 * line is enough.
 */
export function showNext(report: ImportReport, options: Options, isFirst: boolean): void {
  const outlook = outlookOf(report);
  if (!outlook) return;

  const { start, end, baseCurrency } = outlook;
  const flags = again(options);
  if (!isFirst)
    return note(
      `Next: journal-api summary --start ${start} --end ${end}${flags}, or journal-api open${flags}`,
    );

  const where = again({ home: options.home });
  const currency =
    baseCurrency === null
      ? ''
      : `  journal-api user set ${report.user} --base-currency ${baseCurrency}${where}\n`;
  note(`
Next, open it in the browser:
${currency}  journal-api open${flags}
Or in the terminal:
  journal-api summary --start ${start} --end ${end}${flags}
An agent or another program needs a key: journal-api key create --help`);
}

/** @throws UserError if lines were left out */
export function failForLeftOut(files: readonly { problems: readonly unknown[] }[]): void {
  const { length } = files.flatMap(({ problems }) => problems);
  if (length === 0) return;
  const lines =
    length === 1
      ? '1 line left out, named above; correct it'
      : `${length} lines left out, named above; correct them`;
  throw new UserError(`${lines} and import again`);
}
