/** `get`: the API from a shell, for pipes and agents. */
import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ClientOptions,
  clientOptions,
  type GlobalOptions,
  keyIn,
} from '../config.ts';
import { UsageError, UserError } from '../errors.ts';
import { type ApiResponse, type Ask, problemIn } from '../http/client.ts';
import { MAX_TABLE_LIMIT } from '../http/parameter.ts';
import { TABLE_TYPES } from '../http/table.ts';
import { type JournalCommand, note, printData } from './shared/command.ts';
import { errorFor, openClient } from './shared/local-app.ts';

interface Options extends GlobalOptions, ClientOptions {
  all?: boolean;
  jsonl?: boolean;
  csv?: boolean;
  fields?: string;
}

/** Attempts for a page while requests are rate-limited. */
const MAX_TRIES = 5;

export function registerGet(program: JournalCommand): void {
  program
    .command('get')
    .description('query the API and print the response; no server needed')
    .argument('<path>', 'path, such as /v1/summary, or in short: summary')
    .argument('[parameters...]', 'query parameters, such as period=90d symbol="BRK B"')
    .option('--all', 'fetch every page of a list')
    .option('--jsonl', 'a record per line')
    .option('--csv', 'a record per line, as CSV with a header; formulas are not escaped')
    .option('--fields <names>', 'only these fields of each record, separated by commas')
    .addOptions(clientOptions)
    .explained(
      `The key comes from the environment variable JOURNAL_API_KEY or from --key-file. The exit code is 4 if the key is refused.

--csv doesn't change texts. A spreadsheet may run a text that begins with =, +, - or @ as a formula: import all columns as text.`,
    )
    .examples(
      'journal-api get summary period=90d',
      'journal-api get trades symbol=MNQ outcome=loss --all --csv --fields closed_at,net_pnl,notes',
      'journal-api get analytics/summary start=2026-01-01 | jq .data.performance',
    )
    .runs(get);
}

async function get(
  typed: string,
  parameters: readonly string[],
  options: Options,
): Promise<void> {
  const path = pathOf(typed);
  if (options.jsonl && options.csv)
    throw new UsageError('--jsonl and --csv exclude each other');

  const query = queryOf(path, parameters, options);
  if (path.startsWith('/v1/')) requireKey(options);
  const asLines = options.all || options.jsonl ? 'ndjson' : undefined;
  const form = options.csv ? 'csv' : asLines;
  const client = openClient(options, {}, form && TABLE_TYPES[form]);

  try {
    const first = await ask(client.ask, addressOf(path, query));
    if (form) await printTable(client.ask, path, first, options);
    else printData(first.text);
  } finally {
    client.close();
  }
}

function requireKey(options: Options): void {
  if (keyIn(options)) return;
  throw new UsageError(
    'no key; pass --key-file, or make one: ' +
      'export JOURNAL_API_KEY=$(journal-api key create --name shell --scopes all --expires ' +
      '30d)',
  );
}

/** summary, v1/summary and /v1/summary are the same path; other paths are unchanged. */
function pathOf(text: string): string {
  const path = text.startsWith('/') ? text : `/${text}`;
  return text.startsWith('/') || path.startsWith('/v1/') ? path : `/v1${path}`;
}

/**
 * Parameters of the path, then the others. Repeated ones are all sent, and the API
 * rejects them.
 */
function queryOf(
  path: string,
  parameters: readonly string[],
  { all, fields }: Options,
): URLSearchParams {
  const query = new URLSearchParams(/\?(.*)/s.exec(path)?.[1]);
  for (const parameter of parameters) {
    const [, name, value] = /^([^=]+)=(.*)$/s.exec(parameter) ?? [];
    if (name === undefined)
      throw new UsageError(`parameters are written name=value; got "${parameter}"`);
    query.append(name, value as string);
  }

  if (fields !== undefined) query.append('fields', fields);
  // The largest page, for the fewest requests.
  if (all && !query.has('limit')) query.append('limit', String(MAX_TABLE_LIMIT));
  return query;
}

function addressOf(path: string, query: URLSearchParams): string {
  const search = query.toString();
  return path.replace(/\?.*/s, '') + (search === '' ? '' : `?${search}`);
}

/**
 * @throws KeyRefused after a 401, UserError after any other error, with the API's message
 */
async function ask(client: Ask, address: string): Promise<ApiResponse> {
  for (let tries = 1; ; tries++) {
    const response = await client(address).catch((error: Error) => {
      throw new UserError(error.message);
    });
    if (response.status === 200) return response;
    if (response.status !== 429 || tries === MAX_TRIES) throw errorFor(response);
    note(`journal-api: ${problemIn(response).detail}; waiting`);
    await sleep((response.retryAfter ?? 1) * 1000);
  }
}

/**
 * Prints the records of a page, or of all pages with --all; with --jsonl, a response that
 * isn't a list is one record.
 */
async function printTable(
  client: Ask,
  path: string,
  first: ApiResponse,
  options: Options,
): Promise<void> {
  const { csv, jsonl, all } = options;
  const { data } = (first.body ?? {}) as { data?: unknown };
  if (data !== undefined && jsonl) return printData(JSON.stringify(data));
  if (first.body !== undefined)
    throw new UsageError(`${path} returns no records; remove --all, --jsonl and --csv`);

  const { write, end } = csv || jsonl ? PLAIN : pageWriter();
  write(first.text);
  for (let { next } = first; all && next !== null; ) {
    const page = await ask(client, path.replace(/\?.*/s, '') + next);
    // Only the first page's header.
    write(csv ? page.text.slice(page.text.indexOf('\n') + 1) : page.text);
    next = page.next;
  }

  end();
}

interface Writer {
  write: (text: string) => void;
  end: () => void;
}

const PLAIN: Writer = {
  write: (text) => void process.stdout.write(text),
  end: () => undefined,
};

/** Joins the lines of all pages into one page of JSON, with a record per line. */
function pageWriter(): Writer {
  let count = 0;
  return {
    write: (text) => {
      for (const line of text.split('\n').slice(0, -1))
        printData(`${count++ === 0 ? '{"data":[\n' : ','}${line}`);
    },
    end: () =>
      printData(
        `${count === 0 ? '{"data":[' : ''}],"pagination":{"limit":${count},"has_more":false,"next_cursor":null}}`,
      ),
  };
}
