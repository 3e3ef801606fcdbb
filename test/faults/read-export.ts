/** Reads one export with the detected reader, as the import does, and prints result and cost. */
import { readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { setFlagsFromString } from 'node:v8';
import { textOf } from '../../src/import/files/contents.ts';
import { FORMATS } from '../../src/import/formats/index.ts';
import { loadAll } from '../../src/import/on-demand.ts';
import { trades } from '../../src/journal/resources/trades.ts';
import { newUser } from '../../src/journal-write/users.ts';

await loadAll();

// As the program sets them before it reads a file whole.
for (const flag of ['--heap-growing-percent=20', '--semi-space-growth-factor=1'])
  setFlagsFromString(flag);

const [, , name, file = ''] = process.argv;
const format = FORMATS.find((own) => own.name === name);
if (!format || format.streamed || format.notes)
  throw new Error(`${name} is no format that is read whole`);
const context = {
  resource: trades,
  user: newUser('me', {}),
  fileName: basename(file),
  timeZone: undefined,
  date: '2026-01-15',
};
const bytes = readFileSync(file);
const since = process.cpuUsage();
const { rows, fills, records } = format.binary
  ? format.read(bytes, { ...context, path: file })
  : format.read(textOf({ file, bytes }, true), context);
const { user, system } = process.cpuUsage(since);
const made = fills.length + [...records].length;
console.log(
  JSON.stringify({
    rows,
    made,
    seconds: (user + system) / 1e6,
    mb: process.resourceUsage().maxRSS / 1000,
  }),
);
