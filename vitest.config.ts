import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';
import { figuresIn } from './test/faults/print-figures.ts';
import { listFailures } from './test/list-failures.ts';

/** What takes longest has commands of its own: `npm run test:page`, `test:packaging`, `test:faults`. */
const PAGE_AND_PACKAGING = ['test/web/**', 'test/packaging/**'];
const OWN_COMMANDS = [
  ...PAGE_AND_PACKAGING,
  'test/faults/**',
  'test/oracle/**',
  'test/import/row-counts-once.test.ts',
];

const FIGURES = join(tmpdir(), `journal-api-figures-${process.pid}`);

export default defineConfig(({ mode }) => {
  const printsFigures = mode === 'faults' || mode === 'long';
  return {
    test: {
      include: ['test/**/*.test.ts'],
      exclude: [
        ...configDefaults.exclude,
        ...(mode === 'test' ? OWN_COMMANDS : mode === 'long' ? PAGE_AND_PACKAGING : []),
      ],
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
      testTimeout: mode === 'page' ? 600_000 : 300_000,
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
