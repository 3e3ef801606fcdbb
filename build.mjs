// Bundles the program into dist/journal-api.mjs: everything but the SQLite addon, schema.sql included.
import { readFileSync } from 'node:fs';
import { build } from 'esbuild';

const { version } = JSON.parse(readFileSync('package.json', 'utf8'));

await build({
  entryPoints: ['src/cli.ts'],
  outfile: 'dist/journal-api.mjs',
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node22.12',
  minifySyntax: true,
  external: ['better-sqlite3'],
  define: {
    EMBEDDED_SCHEMA: JSON.stringify(readFileSync('schema.sql', 'utf8')),
    EMBEDDED_VERSION: JSON.stringify(version),
  },
  // Bundled CommonJS packages ask for Node's own modules through require.
  banner: { js: "import { createRequire } from 'node:module';\nconst require = createRequire(import.meta.url);" },
  logLevel: 'warning',
});
