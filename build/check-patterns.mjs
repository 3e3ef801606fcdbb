/**
 * Refuses patterns that may backtrack: a hostile file would take unlimited time. Those that passed are listed in
 * linear-patterns.txt, which this script keeps, because a check takes a tenth of a second per pattern. Without the file all are checked.
 */
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { check } from 'recheck';
import { root } from './bundle.mjs';

/** Patterns that the checker can't analyse, and why they are linear. */
const KNOWN = {
  '<td[^<>]*>(?:\\d+<\\/td>\\s*<td[^<>]*>\\d{4}\\.\\d\\d\\.\\d\\d \\d\\d:\\d\\d|\\d{4}\\.\\d\\d\\.\\d\\d \\d\\d:\\d\\d(?::\\d\\d)?<\\/td>\\s*<td[^<>]*>\\d+<)':
    'no part continues past the next <',
  '(?<emoji>\\p{RGI_Emoji})|[\\p{Default_Ignorable_Code_Point}\\u{fff9}-\\u{fffb}]|[\\p{Cc}--[\\n\\t]]':
    'it repeats nothing; sets of strings are newer than the checker',
};

/** Files that build patterns from their own constants. */
const BUILDERS = ['src/parse/cells.ts', 'src/journal/stored-value.ts'];

/** Far more than a pattern needs on an idle machine, because a busy one must not fail the check. */
const TIMEOUT_MS = 180_000;

/** One a line, sorted. */
const LINEAR = join(root, 'build/linear-patterns.txt');

/** @returns all patterns of a file, with their lines */
function patternsIn(file) {
  const text = readFileSync(join(root, file), 'utf8');
  const found = [];
  const add = (node, source, flags) =>
    found.push({
      place: `${file}:${text.slice(0, node.start).split('\n').length}`,
      source,
      flags,
    });
  const visitor = new Visitor({
    Literal(node) {
      if (node.regex) add(node, node.regex.pattern, node.regex.flags);
    },
    NewExpression(node) {
      if (node.callee.name === 'RegExp' && !BUILDERS.includes(file))
        add(node, undefined, '');
    },
  });
  visitor.visit(parseSync(file, text).program);
  return found;
}

function readLinear() {
  try {
    return new Set(readFileSync(LINEAR, 'utf8').split('\n'));
  } catch {
    return new Set();
  }
}

/** @returns the problem of a pattern; empty without one */
async function faultOf({ source, flags }) {
  const { status, complexity, attack, error } = await check(source, flags, {
    timeout: TIMEOUT_MS,
  });
  if (status === 'safe') return '';
  if (status === 'unknown') return `can't be analysed (${error.kind})`;
  if (complexity.type !== 'exponential' && !isSlow(new RegExp(source, flags), attack))
    return '';
  return `${complexity.summary}, for example with ${attack.pattern}`;
}

/** Longer than any cell. */
const LONGEST = 40_000;
const SLOW_MS = 50;

/** Whether the checker's text is slow here: the checker counts the steps of its own engine, too many for lookarounds. */
function isSlow(pattern, { pumps, suffix }) {
  for (let length = 500; length <= LONGEST; length *= 2) {
    const times = Math.ceil(
      length /
        Math.max(
          1,
          pumps.reduce((sum, { pump }) => sum + pump.length, 0),
        ),
    );
    const text =
      pumps.map(({ prefix, pump }) => prefix + pump.repeat(times)).join('') + suffix;
    const before = process.cpuUsage();
    pattern.lastIndex = 0;
    pattern.test(text);
    const { user, system } = process.cpuUsage(before);
    if ((user + system) / 1000 > SLOW_MS) return true;
  }
  return false;
}

const files = globSync('src/**/*.{ts,tsx}', { cwd: root }).sort();
const patterns = files.flatMap(patternsIn);
const before = readLinear();
const after = new Set();
const faults = [];
const waiting = patterns.filter(
  ({ source }) => source === undefined || !Object.hasOwn(KNOWN, source),
);
await Promise.all(
  Array.from({ length: availableParallelism() }, async () => {
    for (let pattern = waiting.shift(); pattern; pattern = waiting.shift()) {
      const { place, source, flags } = pattern;
      const shown = `/${source}/${flags}`;
      let fault = '';
      if (source === undefined) fault = 'built while the program runs';
      else if (!before.has(shown)) fault = await faultOf(pattern);
      if (fault === '') after.add(shown);
      if (fault !== '')
        faults.push(`${place} ${source === undefined ? '' : shown}: ${fault}`);
    }
  }),
);
for (const source of Object.keys(KNOWN)) {
  if (!patterns.some((pattern) => pattern.source === source))
    faults.push(`no longer used; remove it from KNOWN: ${source}`);
}
const list = [...after].sort().map((shown) => `${shown}\n`);
if (after.size !== before.size - 1 || !after.isSubsetOf(before))
  writeFileSync(LINEAR, list.join(''));
for (const fault of faults.sort()) console.error(fault);
if (faults.length > 0) process.exitCode = 1;
else console.log(`${patterns.length} patterns are linear`);
