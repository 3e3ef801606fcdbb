/** `summary`: a window in the terminal, for those without a browser. The figures are the API's. */
import type { Command } from 'commander';
import { type ClientOptions, clientOptions, filesOf, type GlobalOptions, keyIn } from '../config.ts';
import { UsageError, UserError } from '../errors.ts';
import type { Ask } from '../http/client.ts';
import { userFor } from '../journal-write/choose-user.ts';
import { FIGURES, NET } from '../web/figures.ts';
import { type Formats, formatsOf } from '../web/format.ts';
import type { Analytics, Performance } from '../web/types.ts';
import { type Client, errorFor, openClient } from './local-app.ts';
import { note, print } from './output.ts';
import { openOwnClient } from './own-client.ts';
import { calendarLines, curveLines, type Painter, painterFor } from './pictures.ts';

interface Options extends GlobalOptions, ClientOptions {
  period: string;
  user?: string;
  json?: boolean;
}

/** What a terminal is taken to be as wide as that doesn't say. */
const COLUMNS = 80;

export function registerSummary(program: Command): void {
  const command = program
    .command('summary')
    .description("a window's figures, equity curve and calendar in the terminal")
    .option('--period <period>', 'the window: 7d, 4w, 90d, 1y, last_month, this_year ...', '30d')
    .option('--user <id>', 'whose journal (default: me, else the only user)')
    .option('--json', "the API's answer, /v1/summary")
    .addHelpText('after', '\nExample:\n  $ journal-api summary --period last_month')
    .action((_options, self: Command) => summary(self.optsWithGlobals()));
  for (const option of clientOptions) command.addOption(option);
}

async function summary(options: Options): Promise<void> {
  const client = openFor(options);
  const window = `period=${encodeURIComponent(options.period)}`;
  try {
    if (options.json) return print((await answered(client.ask, `/v1/summary?${window}`)).text);
    const sections = 'sections=performance,daily,previous';
    const { body } = await answered(client.ask, `/v1/analytics/summary?${window}&${sections}`);
    show((body as { data: Analytics }).data);
  } finally {
    client.close();
  }
}

/** With a key, what that may read; without one, the files themselves. */
function openFor(options: Options): Client {
  if (options.url !== undefined || keyIn(options) !== undefined) return openClient(options);
  const files = filesOf(options);
  return openOwnClient(files, userFor(files.journal, options.user).id);
}

/** @throws UserError saying what the API said; UsageError where the period is wrong */
async function answered(ask: Ask, path: string) {
  const answer = await ask(path).catch((error: Error) => {
    throw new UserError(error.message);
  });
  if (answer.status === 200) return answer;
  const { code, detail } = (answer.body ?? {}) as { code?: string; detail?: string };
  if (code === 'invalid_parameter') throw new UsageError(`--${detail}`);
  throw errorFor(answer);
}

function show({ period, performance, previous, daily }: Analytics): void {
  const format = formatsOf({ timezone: period.timezone, base_currency: performance.currency });
  print(
    `${format.day(period.start_date)} – ${format.day(period.end_date)}, in ${performance.currency}, ${period.timezone}`,
  );
  if (performance.trades === 0) return note('No trades were closed in this window.');
  const columns = process.stdout.columns || COLUMNS;
  const paint = painterFor(process.stdout);
  print('');
  for (const line of figureLines(performance, previous, format, paint)) print(line);
  print('');
  for (const line of curveLines(daily, columns, format, paint)) print(line);
  for (const line of calendarLines(daily, columns, format, paint)) print(line);
}

/** One figure a line, with its range and the figure of the window before beside it. */
function figureLines(now: Performance, before: Performance | null, format: Formats, paint: Painter): string[] {
  const rows = [NET, ...FIGURES].map(({ name, write, tone, range }) => ({
    name,
    value: write(now, format),
    tone: tone?.(now) ?? '',
    beside: [range?.(now, format), before && before.trades > 0 ? `before: ${write(before, format)}` : null],
  }));
  const width = (cells: readonly string[]) => Math.max(...cells.map((cell) => cell.length));
  const names = width(rows.map(({ name }) => name));
  const values = width(rows.map(({ value }) => value));
  return rows.map(({ name, value, tone, beside: notes }) => {
    const beside = paint('muted', notes.map((note) => (note ? `   ${note}` : '')).join(''));
    return `${paint('muted', name.padEnd(names))}  ${paint(tone, value.padStart(values))}${beside}`;
  });
}
