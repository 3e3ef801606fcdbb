/** `npm run lint`: types, style, patterns, unused code and the package, side by side. Prints what failed, and how long each part took. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';

const PARTS = [
  'node build/check-patterns.mjs',
  'knip',
  'tsc --noEmit',
  'tsc --noEmit -p src/web',
  'biome check .',
  'publint --strict',
];

const results = await Promise.all(
  PARTS.map(async (part) => {
    const since = performance.now();
    const child = spawn(part, { shell: true, stdio: ['ignore', 'pipe', 'pipe'] });
    const output = Promise.all([text(child.stdout), text(child.stderr)]);
    const [code] = await once(child, 'close');
    console.log(
      `${code === 0 ? 'passed' : 'failed'}  ${part}  ${((performance.now() - since) / 1000).toFixed(1)} s`,
    );
    return { part, code, output: (await output).join('') };
  }),
);
for (const { part, code, output } of results)
  if (code !== 0) console.error(`\n${part}\n${output}`);
process.exitCode = results.every(({ code }) => code === 0) ? 0 : 1;
