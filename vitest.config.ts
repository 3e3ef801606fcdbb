import { defineConfig } from 'vitest/config';

export default defineConfig({
  test: {
    include: ['test/**/*.test.ts'],
    setupFiles: ['test/setup.ts'],
    // The machine's zone must not matter; this one has daylight saving time and is nobody's in the tests.
    env: { TZ: 'Pacific/Chatham' },
    testTimeout: 30_000,
  },
});
