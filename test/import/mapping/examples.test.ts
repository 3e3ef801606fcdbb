/** Runs the examples of docs/mapping.md as written: their files, commands and output. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../helpers.ts';
import { runHere } from '../../program.ts';

const DOCS = fileURLToPath(new URL('../../../docs/mapping.md', import.meta.url));

interface Example {
  title: string;
  files: { name: string; content: string }[];
  commands: { words: string[]; output: string }[];
}

/** A section has its files in named blocks, and its commands in console blocks. */
const examples = readFileSync(DOCS, 'utf8')
  .split(/^## /m)
  .map((section): Example => {
    const blocks = [...section.matchAll(/^```(\w+)(?: (\S+))?\n(.*?)^```$/gms)];
    return {
      title: section.split('\n', 1)[0] as string,
      files: blocks.flatMap(([, , name, content = '']) =>
        name === undefined ? [] : [{ name, content }],
      ),
      commands: blocks
        .filter(([, language]) => language === 'console')
        .flatMap(([, , , content = '']) => content.split(/^\$ /m).slice(1))
        .map((text) => {
          const [line = '', ...output] = text.split('\n');
          return { words: line.split(' ').slice(1), output: output.join('\n') };
        }),
    };
  })
  .filter(({ commands }) => commands.length > 0);

test('there are examples', () => {
  expect(examples.length).toBeGreaterThanOrEqual(4);
});

describe.each(examples)('$title', ({ files, commands }) => {
  test('does what docs/mapping.md states', async () => {
    const folder = temporaryFolder();
    for (const { name, content } of files) {
      mkdirSync(dirname(join(folder, name)), { recursive: true });
      writeFileSync(join(folder, name), content);
    }
    const env = { JOURNAL_API_HOME: join(folder, 'home') };
    // Otherwise the journal would be in the machine's zone, which docs/mapping.md can't contain.
    await runHere(['init', '--timezone', 'UTC'], { env });
    for (const { words, output } of commands) {
      const { stdout, stderr, code } = await runHere(words, { cwd: folder, env });
      expect(stdout.trimEnd(), stderr).toBe(output.trimEnd());
      expect(code).toBe(0);
    }
  });
});
