import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { configDefaults, defineConfig } from 'vitest/config';

/** What takes longest has commands of its own: `npm run test:page`, `test:binary`, and the memory cases of `test:faults`. */
const LONG = ['test/web/**', 'test/executable.test.ts', 'test/faults/memory.test.ts'];

export default defineConfig(({ mode }) => ({
  test: {
    include: ['test/**/*.test.ts'],
    exclude: [...configDefaults.exclude, ...(mode === 'test' ? LONG : [])],
    globalSetup: ['test/global-setup.ts', ...(mode === 'faults' ? ['test/faults/print-figures.ts'] : [])],
    setupFiles: ['test/setup.ts'],
    // The machine's zone must not matter; this one has daylight saving time and is nobody's in the tests.
    env: {
      TZ: 'Pacific/Chatham',
      // `npm run test:faults` goes through all cases of test/faults, `npm test` through a sample of them.
      // The same of the random cases of properties, and `npm run test:properties`.
      ...(mode === 'properties' ? { PROPERTIES: 'all' } : {}),
      ...(mode === 'faults' ? { FAULTS: 'all', FIGURES: join(tmpdir(), `journal-api-figures-${process.pid}`) } : {}),
    },
    testTimeout: 30_000,
    // A process for each core, not for each file: to load the modules and compile the description's schemas takes longer than most files.
    isolate: false,
    maxWorkers: '100%',
    // Fewer collections of garbage: 6 % less time.
    execArgv: ['--min-semi-space-size=16', '--max-semi-space-size=32'],
    restoreMocks: true,
  },
}));
