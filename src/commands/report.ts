/**
 * `report`: a period as one HTML file for a mentor or a friend, through a lens as keys
 * have it.
 */
import { hash } from 'node:crypto';
import { lstatSync, type Stats, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { runInThisContext } from 'node:vm';
import { filesOf } from '../config.ts';
import { readAsset } from '../embedded.ts';
import { messageOf, UsageError, UserError } from '../errors.ts';
import type { Ask } from '../http/client.ts';
import type { Unit } from '../journal/resource.ts';
import { userFor } from '../journal-write/open.ts';
import { type TypedLens, typedLens } from '../keys/lens.ts';
import { nameAt, PICTURE_MEDIA, pictureNamed } from '../pictures/kept-pictures.ts';
import { createFile } from '../sqlite/create-file.ts';
import { toInstantText } from '../time.ts';
import type { Me, ReportRequest } from '../web/types.ts';
import { addLens } from './key.ts';
import {
  counted,
  type JournalCommand,
  note,
  type Options,
  print,
} from './shared/command.ts';
import { answered, openOwnClient, requireAccounts } from './shared/local-app.ts';
import { LEGS_AS_ONE, unitFor, unitOption } from './shared/unit-option.ts';

interface ReportOptions extends Options, TypedLens {
  out?: string;
  force?: boolean;
  pictures?: boolean;
  unit?: Unit;
}

export function registerReport(program: JournalCommand): void {
  addLens(program.command('report'))
    .description('write a period to one HTML file, for a mentor or a friend')
    .argument(
      '[period]',
      'a period such as last_week, this_month, 30d, 2026-11 or all, or a day',
      'last_week',
    )
    .option(
      '--out <file>',
      'the file (default: journal-PERIOD.html in the current folder)',
    )
    .option('--force', 'replace an existing file')
    .option(
      '--pictures',
      'take kept pictures along, 25 MB together; the rest are captions',
    )
    .addOption(unitOption())
    .userOption('owner of the journal')
    .explained(
      "The file has the dashboard's figures, charts, trades and journal entries. It runs no script, loads nothing, and only you can read it.",
    )
    .examples(
      'journal-api report --hide money',
      'journal-api report 2026-11 --accounts main --hide money,texts --out november.html',
    )
    .runs(report);
}

async function report(period: string, options: ReportOptions): Promise<void> {
  const files = filesOf(options);
  const lens = typedLens(options);
  const user = userFor(files.journal, options.user);
  await requireAccounts(files, user.id, lens);

  const client = openOwnClient(files, user.id, lens);
  try {
    const unit = await unitFor(client.ask, options.unit);
    const pictures = options.pictures ? new TakenPictures(client.ask) : undefined;
    const { me, text } = await rendered(client.ask, { period, unit, pictures });
    const out = resolve(options.out ?? `journal-${period}.html`);
    write(out, text, options.force ?? false);
    const { hides } = me.key.shows;
    if (unit === 'position') note(LEGS_AS_ONE);
    if (!hides.includes('money'))
      note('Amounts are shown; to hide them, pass --hide money');
    else if (!hides.includes('texts'))
      note(
        'Texts are shown and may state amounts; to hide them, pass --hide money,texts',
      );
    if (pictures && pictures.left > 0)
      note(
        `${counted(pictures.left, 'picture')} left out: together they have more than 25 MB`,
      );
    print(out);
  } finally {
    client.close();
  }
}

/** Pictures that a report takes along have at most so many bytes together. */
const MOST_PICTURE_BYTES = 25_000_000;

class TakenPictures {
  readonly #ask: Ask;
  #bytes = 0;
  /** Number of those that didn't fit. */
  left = 0;

  constructor(ask: Ask) {
    this.#ask = ask;
  }

  /** Its data: address; undefined if it is gone, or doesn't fit. */
  async take(url: string): Promise<string | undefined> {
    const { status, bytes } = await this.#ask(url, 'image/*');
    const type = pictureNamed(nameAt(url) ?? '')?.type;
    if (status !== 200 || type === undefined) return undefined;

    if (this.#bytes + bytes.length > MOST_PICTURE_BYTES) {
      this.left++;
      return undefined;
    }

    this.#bytes += bytes.length;
    return `data:${PICTURE_MEDIA[type]};base64,${bytes.toString('base64')}`;
  }
}

interface Rendered {
  period: string;
  unit: Unit;
  pictures: TakenPictures | undefined;
}

async function rendered(ask: Ask, { period, unit, pictures }: Rendered) {
  const asked = async (path: string) => (await answered(ask, path)).body;
  const query = period === 'all' ? '' : `&period=${encodeURIComponent(period)}`;
  // Checks the period before anything else is loaded.
  await asked(`/v1/analytics/summary?sections=period${query}`).catch((error: Error) => {
    if (!(error instanceof UsageError)) throw error;
    throw new UsageError(
      `the period takes last_week, this_month, 30d, 2026-11, all or a day; got "${period}"`,
    );
  });

  const { data: me } = (await asked('/v1/me')) as { data: Me };
  const text = await renderer()({
    ask: asked,
    me,
    period,
    unit,
    styles: readAsset('report-styles.css').toString().trim(),
    hash: (styles: string) => hash('sha256', styles, 'base64'),
    now: toInstantText(Date.now()),
    ...(pictures && { picture: (url: string) => pictures.take(url) }),
  });
  return { me, text };
}

/**
 * The dashboard's views with their renderer, from their bundle: only this command loads
 * them.
 */
function renderer(): (request: ReportRequest) => Promise<string> {
  const code = `(function(module){${readAsset('report.js')}\n})`;
  const module = {
    exports: {} as { renderReport: (request: ReportRequest) => Promise<string> },
  };
  runInThisContext(code, { filename: 'report.js' })(module);
  return module.exports.renderReport;
}

function write(path: string, text: string, replaces: boolean): void {
  const existing = found(path);
  if (existing?.isDirectory())
    throw new UserError(
      `${path} is a folder; name a file, such as ${join(path, 'report.html')}`,
    );
  if (existing && !replaces)
    throw new UserError(`${path} already exists; to replace it, pass --force`);

  try {
    createFile(path, (draft) => writeFileSync(draft, text), { replaces });
  } catch (error) {
    throw new UserError(`can't write ${path}: ${messageOf(error)}`);
  }
}

/** What is at a path, a link too; undefined if nothing can be. */
function found(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch {
    return undefined;
  }
}
