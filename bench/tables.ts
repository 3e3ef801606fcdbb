/**
 * Measures and prints the tables of bench/README.md, one a question, and with --write puts
 * them there: npm run bench -- [--write] [QUESTION...] (default: all questions)
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Question, Table } from './question.ts';
import { figures } from './questions/figures.ts';
import { imports } from './questions/imports.ts';
import { page } from './questions/page.ts';
import { reads } from './questions/reads.ts';
import { servers } from './questions/servers.ts';
import { start } from './questions/start.ts';
import { threads } from './questions/threads.ts';

const QUESTIONS: Readonly<Record<string, Question>> = {
  servers,
  reads,
  figures,
  threads,
  page,
  imports,
  start,
};
const PAGE = 'bench/README.md';

const { values, positionals } = parseArgs({
  options: { write: { type: 'boolean', default: false } },
  allowPositionals: true,
});
const unknown = positionals.find((name) => !Object.hasOwn(QUESTIONS, name));
if (unknown !== undefined) {
  console.error(
    `unknown question ${unknown}; one of ${Object.keys(QUESTIONS).join(', ')}`,
  );
  process.exit(2);
}

for (const name of positionals.length > 0 ? positionals : Object.keys(QUESTIONS)) {
  const folder = mkdtempSync(join(tmpdir(), 'journal-api-bench-'));
  try {
    const load = loadavg()[0] as number;
    const text = `${when(load)}\n\n${markdown(await (QUESTIONS[name] as Question)(folder))}`;
    console.log(`\n## ${name}\n\n${text}`);
    if (values.write) put(name, text);
  } catch (error) {
    // Bodies in the message are long.
    console.error(`${name}: ${String((error as Error).stack).slice(0, 2000)}`);
    process.exitCode = 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A busy machine is named: its clock, and even its processor times, are longer. */
function when(load: number): string {
  const cores = availableParallelism();
  const busy = load > 0.5 ? `, busy with other work (load ${load.toFixed(0)})` : '';
  const day = new Date().toISOString().slice(0, 10);
  return `Measured on ${day}, Node ${process.versions.node}, ${cores} cores${busy}:`;
}

function markdown({ columns, rows }: Table): string {
  const line = (cells: readonly (string | number)[]) => `| ${cells.join(' | ')} |`;
  return [line(columns), `|${'---|'.repeat(columns.length)}`, ...rows.map(line)].join(
    '\n',
  );
}

function put(name: string, text: string): void {
  const page = readFileSync(PAGE, 'utf8');
  const [begin, end] = [`<!-- bench ${name} -->`, `<!-- end ${name} -->`];
  const [from, to] = [page.indexOf(begin), page.indexOf(end)];
  if (from === -1 || to === -1) throw new Error(`${PAGE} has no ${begin} ... ${end}`);
  writeFileSync(
    PAGE,
    `${page.slice(0, from + begin.length)}\n${text}\n${page.slice(to)}`,
  );
}
