/** `demo`: imports a sample trader's year into its own folder and serves it. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Files, filesOf, type GlobalOptions } from '../config.ts';
import { sampleJournal, ZONE } from '../demo/index.ts';
import { importPaths, planFiles } from '../import/index.ts';
import { createJournal } from '../journal-write/open.ts';
import { addUser } from '../journal-write/users.ts';
import { issueKey } from '../keys/issue.ts';
import { ALL_SCOPES } from '../keys/scopes.ts';
import { DAY, ZoneClock } from '../time.ts';
import { startAnywhere } from './serve.ts';
import { type JournalCommand, print } from './shared/command.ts';
import { serverSettingsOf, untilStopped } from './shared/serving.ts';

export function registerDemo(program: JournalCommand): void {
  program
    .command('demo')
    .description(
      "serve a sample trader's year and print calls to try; your own journal is not touched",
    )
    .option(
      '--port <number>',
      'port to listen on (default: 4747, or a free one if that is taken)',
    )
    .explained(
      `The sample goes to a temporary folder and is removed at the end; with --home it is created there and kept.
--db, --keys and --secret-file are ignored: everything is in that folder.`,
    )
    .examples('journal-api demo')
    .runs(({ home, port }: GlobalOptions & { port?: string }) =>
      // Only from the command line: the environment may name the real journal's folder.
      demo(program.getOptionValueSource('home') === 'cli' ? home : undefined, port),
    );
}

async function demo(kept: string | undefined, port: string | undefined): Promise<void> {
  const home = kept ?? mkdtempSync(join(tmpdir(), 'journal-api-demo-'));
  try {
    const files = filesOf({ home });
    const now = Date.now();
    const counts = await fill(files, now);
    const { key } = issueKey(files, {
      userId: 'me',
      name: 'demo',
      scopes: ALL_SCOPES,
      expires: now + DAY,
      now,
    });
    const stopped = untilStopped();
    const settings = serverSettingsOf({
      host: '127.0.0.1',
      port: port ?? '4747',
      rateLimit: '120',
      log: 'off',
    });
    const running = await startAnywhere(files, settings, port !== undefined);
    const place = kept ?? `${home} (removed when this stops)`;
    print(introduction(running.url, key, place, counts, now));
    await stopped;
    await running.stop();
  } finally {
    if (kept === undefined) rmSync(home, { recursive: true, force: true });
  }
}

/** Writes the sample as files of records, as any program could, and imports them. */
async function fill(files: Files, now: number): Promise<Record<string, number>> {
  const { user, records } = sampleJournal(new ZoneClock(ZONE).dateOf(now));
  createJournal(files.journal, (db) => addUser(db, user, now)).close();
  const folder = join(files.home, 'records');
  mkdirSync(folder, { recursive: true, mode: 0o700 });

  for (const [resource, list] of Object.entries(records)) {
    writeFileSync(
      join(folder, `${resource}.jsonl`),
      list.map((record) => `${JSON.stringify(record)}\n`).join(''),
    );
  }

  const options = { paths: [folder], journal: files.journal, now };
  const report = importPaths(options, await planFiles(options));
  return Object.fromEntries(report.files.map((file) => [file.resource, file.added]));
}

function introduction(
  url: string,
  key: string,
  place: string,
  counts: Record<string, number>,
  now: number,
): string {
  const lately = new ZoneClock(ZONE).dateOf(now - 90 * DAY);
  const call = (path: string) => `  curl -H "Authorization: Bearer $KEY" "${url}${path}"`;

  return `Open a sample trader's year in a browser:

  ${url}/#key=${key}

Contents:
${Object.entries(counts)
  .map(
    ([resource, count]) =>
      `  ${String(count).padStart(4)} ${resource.replaceAll('-', ' ')}`,
  )
  .join('\n')}

Or paste into another terminal:

  export KEY=${key}
${call('/v1/summary')}
${call('/v1/me')}
${call('/v1/trades?limit=3&outcome=loss')}
${call('/v1/trades/t-0100')}
${call('/v1/journal-rows?limit=5')}
${call(`/v1/analytics/summary?start=${lately}`)}
  curl "${url}/openapi.json"

Everything is in ${place}.
Its folder "records" holds the imported files. The key expires tomorrow. Stop with Ctrl-C.`;
}
