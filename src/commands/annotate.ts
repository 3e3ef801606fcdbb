/** `annotate`: sets labels, risk, prices and the group of matching trades. */

import { realpathSync } from 'node:fs';
import { basename } from 'node:path';
import { filesOf, type GlobalOptions } from '../config.ts';
import { type Annotation, annotate, tradeNamed } from '../edit/annotate.ts';
import { type AttachedPicture, attachmentOf, keepAttached } from '../edit/attach.ts';
import type { Edit } from '../edit/edit.ts';
import { RowError, UsageError, UserError } from '../errors.ts';
import type { Ask } from '../http/client.ts';
import { isPeriod, periodOf } from '../journal/analytics/period.ts';
import type { User } from '../journal/journal.ts';
import { trades } from '../journal/resources/trades.ts';
import { NAME_RULE, VALUE_RULE } from '../journal/trader-fields.ts';
import { refuseMissing, userFor } from '../journal-write/open.ts';
import type { Values } from '../journal-write/record.ts';
import { tradeFieldNamed, traderName, traderValue } from '../notes/day-note.ts';
import { pictureIn } from '../notes/find-pictures.ts';
import { PictureRefused } from '../pictures/picture.ts';
import { ZoneClock } from '../time.ts';
import { agreedToPictures } from './shared/agree-to-pictures.ts';
import { type JournalCommand, type Options, targetOf } from './shared/command.ts';
import { runEdit } from './shared/edits.ts';
import { openOwnClient } from './shared/local-app.ts';
import { agree } from './shared/terminal.ts';

interface AnnotateOptions extends Options {
  all?: boolean;
  yes?: boolean;
  setup?: string;
  timeframe?: string;
  rating?: string;
  risk?: string;
  stop?: string;
  target?: string;
  addTag: string[];
  removeTag: string[];
  addMistake: string[];
  removeMistake: string[];
  field: string[];
  group?: string;
  attach: string[];
}

const collect = (label: string, before: string[]) => [...before, label];

export function registerAnnotate(program: JournalCommand): void {
  program
    .command('annotate')
    .changesRecords()
    .description('set labels, risk, prices or the group of matching trades')
    .argument(
      '[filters...]',
      'as for get, such as setup=ORB period=last_week; or ids; ' +
        'or "last" for the trade entered last',
    )
    .option(
      '--setup <name>',
      'setup; - removes it (as for --timeframe, numbers and --group)',
    )
    .option('--timeframe <name>', 'chart timeframe, such as 5m')
    .option('--add-tag <tag>', 'add a tag; repeatable, like the next three', collect, [])
    .option('--remove-tag <tag>', 'remove a tag', collect, [])
    .option('--add-mistake <mistake>', 'add a mistake', collect, [])
    .option('--remove-mistake <mistake>', 'remove a mistake', collect, [])
    .option('--rating <n>', '1 to 5')
    .option('--risk <amount>', "initial risk, in each trade's currency")
    .option('--stop <price>', 'initial stop')
    .option('--target <price>', 'target')
    .option(
      '--field <name=value>',
      'a field of your own, such as confluence=3; repeatable; without a value, removes it',
      collect,
      [],
    )
    .option('--group <name>', 'name or id of their group; created if it does not exist')
    .option(
      '--attach <picture>',
      'keep a PNG, JPEG, WebP or GIF beside the journal; repeatable',
      collect,
      [],
    )
    .option('--all', 'all trades, without a filter')
    .option(
      '--yes',
      'change several trades, and keep a first picture, without asking; required without a terminal',
    )
    .explained(
      '"journal-api import undo" reverts the change. Periods select trades by entry date.',
    )
    .examples(
      'journal-api annotate last --setup ORB --add-mistake chased --rating 3',
      'journal-api annotate symbol=MNQ period=today --stop 25400 --risk 100',
      'journal-api annotate last --attach chart.png',
      'journal-api annotate setup=orb --setup ORB --yes',
      'journal-api annotate underlying=SPY start=2026-11-20 --group "SPY condor" --dry-run',
    )
    .runs(run);
}

async function run(filters: string[], options: AnnotateOptions): Promise<void> {
  const annotation = annotationOf(options);
  const { journal } = filesOf(options);
  refuseMissing(journal);

  const user = userFor(journal, options.user);
  const { names, ids } = await selectionOf(filters, options, user);
  const count = names.length + ids.length;

  if (count > 1 && !options.dryRun && !options.yes) {
    await agree(
      `Change ${count} trades?`,
      `this changes ${count} trades; pass --yes, or --dry-run to see them`,
    );
  }

  const pictures = picturesIn(options.attach);
  const act = (edit: Edit, mayShow: boolean) => {
    try {
      const named = names.map((name) => tradeNamed(edit.db, user.id, name, false));
      const all = [...new Set([...named, ...ids])];
      annotate(edit, all, { ...annotation, attachments: pictures.map(attachmentOf) });
      keepAttached(edit, pictures, { ...targetOf(options), mayShow });
    } catch (error) {
      throw error instanceof RowError ? new UsageError(error.message) : error;
    }
  };
  await agreedToPictures(
    (mayShow) =>
      runEdit('annotate', trades, { ...options, user: user.id }, (edit) =>
        act(edit, mayShow),
      ),
    options,
  );
}

/** @throws UsageError that names a file that isn't kept */
function picturesIn(paths: readonly string[]): AttachedPicture[] {
  return paths.map((path) => {
    try {
      return { ...pictureIn(realpathSync(path)), file: basename(path) };
    } catch (error) {
      const why =
        error instanceof PictureRefused ? error.message : 'there is no such file';
      throw new UsageError(`--attach ${path}: ${why}`);
    }
  });
}

const NUMBERS = {
  rating: 'rating',
  risk: 'initial_risk',
  stop: 'stop_loss',
  target: 'take_profit',
} as const;
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)$/;
const NONE = '-';

/** @throws UsageError if there is nothing to change, or a number is malformed */
function annotationOf(options: AnnotateOptions): Annotation {
  const fields = { ...textsOf(options), ...numbersOf(options) };
  const group = options.group === NONE ? null : options.group;
  if (group?.trim() === '')
    throw new UsageError(
      '--group is empty; pass a name, such as "SPY condor", or - for none',
    );

  const { addTag, removeTag, addMistake, removeMistake } = options;
  const { field, attach } = options;
  const items = [addTag, removeTag, addMistake, removeMistake, field, attach].flat();
  if (Object.keys(fields).length + items.length === 0 && group === undefined) {
    throw new UsageError(
      'nothing to change; give at least one option, such as --setup ORB or --add-tag news',
    );
  }

  return {
    fields,
    named: namedOf(options.field),
    add: { tags: labels(addTag), mistakes: labels(addMistake) },
    remove: { tags: labels(removeTag), mistakes: labels(removeMistake) },
    group,
  };
}

function textsOf(options: AnnotateOptions): Values {
  const fields: Values = {};
  for (const name of ['setup', 'timeframe'] as const) {
    const text = options[name]?.trim();
    if (text !== undefined) fields[name] = text === NONE || text === '' ? null : text;
  }
  return fields;
}

function numbersOf(options: AnnotateOptions): Values {
  const fields: Values = {};
  for (const [option, field] of Object.entries(NUMBERS)) {
    const text = options[option as keyof typeof NUMBERS]?.trim();
    if (text === undefined) continue;
    if (text !== NONE && !NUMBER.test(text))
      throw new UsageError(
        `--${option} takes a number, such as 100, or - for none; got "${text}"`,
      );

    fields[field] = text === NONE ? null : Number(text);
  }

  return fields;
}

/** The options that set fields of a trade. */
const OPTIONS: Readonly<Record<string, string>> = {
  setup: 'setup',
  timeframe: 'timeframe',
  rating: 'rating',
  initial_risk: 'risk',
  stop_loss: 'stop',
  take_profit: 'target',
  tags: 'add-tag',
  mistakes: 'add-mistake',
};

/** @throws UsageError for a name or value that no field of the trader's can have */
function namedOf(written: readonly string[]): Values {
  const named = written.map((text): [string, unknown] => {
    const [, left, right = ''] = /^([^=]*)=(.*)$/s.exec(text) ?? [];
    if (left === undefined)
      throw new UsageError(
        `--field takes name=value, such as confluence=3; got "${text}"`,
      );

    const known = tradeFieldNamed(left);
    if (known !== undefined) {
      const option = OPTIONS[known];
      const advice = option
        ? `pass --${option} instead`
        : 'write it in a note of the day';
      throw new UsageError(
        `--field: ${left.trim()} is a field that every trade has; ${advice}`,
      );
    }

    const name = traderName(left);
    if (name === undefined) throw new UsageError(`--field ${NAME_RULE}; got "${left}"`);

    const value = right.trim() === '' ? null : traderValue(right.trim());
    if (value === undefined) throw new UsageError(`--field: ${name} ${VALUE_RULE}`);

    return [name, value];
  });

  return Object.fromEntries(named);
}

/** A tag may begin with #, as in notes. */
function labels(given: readonly string[]): string[] {
  const found = given.map((label) => label.trim().replace(/^#(?=\S)/, ''));
  if (found.includes(''))
    throw new UsageError('empty tag or mistake; pass a name, such as --add-tag news');
  return found;
}

/** The selected trades: names as typed, and ids found by filters. */
interface Selection {
  names: readonly string[];
  ids: readonly string[];
}

/** @throws UsageError or UserError if the selection is ambiguous or empty */
async function selectionOf(
  words: readonly string[],
  options: AnnotateOptions,
  user: User,
): Promise<Selection> {
  const filters = words.filter((word) => word.includes('='));
  const names = words.filter((word) => !word.includes('='));
  if (words.length === 0 && !options.all) {
    throw new UsageError(
      'no trades selected; pass filters such as setup=ORB, an id, "last", or --all',
    );
  }
  if (words.length > 0 && options.all)
    throw new UsageError('--all selects every trade; remove the filters');
  if (names.length > 0 && filters.length > 0) {
    throw new UsageError(
      `filters and ids exclude each other; "${names[0]}" isn't a filter, such as setup=ORB`,
    );
  }
  if (names.length > 0) return { names, ids: [] };

  return { names: [], ids: await matching(filters, options, user) };
}

/**
 * Ids of at least one trade. The API's own list finds them, so filters and their errors
 * are the same as in get.
 */
async function matching(
  filters: readonly string[],
  options: GlobalOptions,
  user: User,
): Promise<string[]> {
  const query = new URLSearchParams({ fields: 'id', limit: '100' });
  for (const filter of filters) {
    const [, name = '', value = ''] = /^([^=]*)=(.*)$/s.exec(filter) ?? [];
    if (name === 'period') setPeriod(query, value, user);
    else query.append(name, value);
  }

  const client = openOwnClient(filesOf(options), user.id);
  const ids: string[] = [];
  try {
    for (let cursor: string | null = ''; cursor !== null; ) {
      if (cursor !== '') query.set('cursor', cursor);
      const { data, hint = '', pagination } = await pageOf(client.ask, query);
      for (const { id } of data) ids.push(id);
      if (ids.length === 0)
        throw new UserError(
          `no trade matches ${filters.join(' ') || '--all'}. ${hint}`.trim(),
        );

      cursor = pagination.next_cursor;
    }
    return ids;
  } finally {
    client.close();
  }
}

async function pageOf(ask: Ask, query: URLSearchParams): Promise<Page> {
  const { status, body } = await ask(`/v1/trades?${query}`);
  const page = body as Page;
  if (status === 200) return page;

  throw status === 400
    ? new UsageError(`${page.detail}`)
    : new UserError(`${status}: ${page.detail}`);
}

interface Page {
  detail?: string;
  /** Reason for an empty page. */
  hint?: string;
  data: { id: string }[];
  pagination: { next_cursor: string | null };
}

function setPeriod(query: URLSearchParams, period: string, { timezone }: User): void {
  if (!isPeriod(period)) {
    throw new UsageError(
      `period must be a length such as 7d, or a name such as last_week or 2026-11; got "${period}"`,
    );
  }

  const clock = new ZoneClock(timezone);
  const { first, last } = periodOf(clock, period, clock.dateOf(Date.now()), null)
    ?.span ?? {
    first: null,
    last: null,
  };
  if (first !== null) query.set('start', first);
  if (last !== null) query.set('end', last);
}
