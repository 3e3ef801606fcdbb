import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    globalSetup: ['test/global-setup.ts'],
    setupFiles: ['test/setup.ts'],
    // The machine's zone must not matter; this one has daylight saving time and is nobody's in the tests.
    env: { TZ: 'Pacific/Chatham' },
    testTimeout: 30_000,
    // A process for each core, not for each file: to load the modules and compile the description's schemas takes longer than most files.
    isolate: false,
    maxWorkers: '100%',
    restoreMocks: true,
  },
});
