/**
 * `npm run style`: how dense the source is, as a table. What the linter refuses is counted by the linter; this counts what
 * it can't refuse, since each single case may be right.
 */
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync, Visitor } from 'oxc-parser';
import { root } from './bundle.mjs';

const COMMENT = /^\s*(?:\/\/|\/?\*)/;

/** Data, not code. */
const LEFT_OUT = /demo\/sample/;

const files = globSync('src/**/*.{ts,tsx}', { cwd: root })
  .filter((file) => !LEFT_OUT.test(file))
  .sort();

const total = {
  bytes: 0,
  codeLines: 0,
  characters: 0,
  longLines: 0,
  bodyLines: 0,
  blankInBodies: 0,
  assertions: 0,
  own: 0,
  longFunctions: 0,
};

/** Names in which `own` is a word: own, ownId, #own, own_id. */
const OWN = /\bown(?![a-z])/g;

for (const file of files) {
  const text = readFileSync(join(root, file), 'utf8');
  const lines = text.split('\n');
  const code = lines.filter((line) => line.trim() !== '' && !COMMENT.test(line));
  total.bytes += Buffer.byteLength(text);
  total.codeLines += code.length;
  total.characters += code.reduce((sum, line) => sum + line.trim().length, 0);
  total.longLines += code.filter((line) => line.length > 100).length;
  total.own += code.join('\n').match(OWN)?.length ?? 0;
  countNodes(file, text);
}

function countNodes(file, text) {
  const lineAt = (offset) => text.slice(0, offset).split('\n').length;
  let covered = 0;
  const countBody = ({ body }) => {
    if (body?.type !== 'BlockStatement') return;
    const lines = text.slice(body.start, body.end).split('\n');
    if (lines.length > 72) total.longFunctions++;
    // A function in a function is part of its body.
    if (lineAt(body.start) <= covered) return;
    covered = lineAt(body.end);
    total.bodyLines += lines.filter(
      (line) => line.trim() !== '' && !COMMENT.test(line),
    ).length;
    total.blankInBodies += lines.filter((line) => line.trim() === '').length;
  };
  new Visitor({
    FunctionDeclaration: countBody,
    FunctionExpression: countBody,
    ArrowFunctionExpression: countBody,
    TSAsExpression({ typeAnnotation }) {
      if (typeAnnotation.typeName?.name !== 'const') total.assertions++;
    },
  }).visit(parseSync(file, text).program);
}

const share = (part, whole) => (100 * part) / whole;
const rows = [
  ['files', files.length],
  ['bytes', total.bytes],
  ['characters a line of code', (total.characters / total.codeLines).toFixed(1)],
  ['lines over 100 columns, %', share(total.longLines, total.codeLines).toFixed(2)],
  [
    'blank lines in bodies, for each 100 of code',
    share(total.blankInBodies, total.bodyLines).toFixed(1),
  ],
  ['functions over 70 lines', total.longFunctions],
  ['type assertions (as)', total.assertions],
  ['names with the word own', total.own],
];
for (const [name, value] of rows)
  console.log(`${name.padEnd(46)}${String(value).padStart(10)}`);
