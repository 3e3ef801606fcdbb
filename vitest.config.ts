import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { figuresIn } from './test/faults/print-figures.ts';
import { listFailures } from './test/list-failures.ts';

/** What takes longest has commands of its own. */
const PAGE = ['test/web/**/*.test.ts'];
const PACKAGING = ['test/packaging/**/*.test.ts'];
const FAULTS = [
  'test/faults/**/*.test.ts',
  'test/oracle/**/*.test.ts',
  'test/http/lens.test.ts',
  'test/http/lens-symbols.test.ts',
  'test/import/changed-exports.test.ts',
  'test/import/exports.test.ts',
  'test/import/overlap.test.ts',
  'test/import/row-counts-once.test.ts',
];
const ALL = ['test/**/*.test.ts'];

/** What a command runs: `npm test`, `npm run test:page`, `test:packaging`, `test:faults`, `test:long`. */
const RUN_BY: Record<string, { include: string[]; exclude: string[] }> = {
  test: { include: ALL, exclude: [...PAGE, ...PACKAGING, ...FAULTS] },
  page: { include: PAGE, exclude: [] },
  packaging: { include: PACKAGING, exclude: [] },
  faults: { include: FAULTS, exclude: [] },
  long: { include: ALL, exclude: [...PAGE, ...PACKAGING] },
};

const FIGURES = join(tmpdir(), `journal-api-figures-${process.pid}`);

export default defineConfig(({ mode }) => {
  // Knip reads this file in a mode of its own.
  const run = RUN_BY[mode] ?? { include: ALL, exclude: [] };
  const limit = mode === 'page' ? 600_000 : 300_000;
  const printsFigures = mode === 'faults' || mode === 'long';
  return {
    test: {
      include: run.include,
      exclude: [...configDefaults.exclude, ...run.exclude],
      globalSetup: 'test/global-setup.ts',
      reporters: [
        ...(printsFigures ? [figuresIn(FIGURES)] : []),
        'default',
        listFailures(),
      ],
      setupFiles: ['test/setup.ts'],
      // The machine's zone must not matter; this one has daylight saving time and is nobody's in the tests.
      env: {
        TZ: 'Pacific/Chatham',
        // `npm test` tries a few cases, `npm run test:faults` more, `npm run test:long` all.
        ...(printsFigures ? { FIGURES } : {}),
        EFFORT: mode === 'long' ? 'all' : mode === 'faults' ? 'some' : 'little',
      },
      // A busy machine is twenty times slower; tests of pages take up to half a minute on an idle one.
      testTimeout: limit,
      hookTimeout: limit,
      teardownTimeout: 60_000,
      expect: { poll: { timeout: 60_000 } },
      // A process for each core, not for each file: to load the modules and compile the description's schemas takes longer than most files.
      isolate: false,
      maxWorkers: '100%',
      // Fewer collections of garbage: 6 % less time.
      execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=32'],
      restoreMocks: true,
    },
  };
});
