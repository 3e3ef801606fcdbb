/** Other servers over the same journal, installed outside the project on first use. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const { dependencies } = JSON.parse(readFileSync('package.json', 'utf8')) as {
  dependencies: Record<string, string>;
};

const PACKAGE = JSON.stringify({
  private: true,
  dependencies: { 'better-sqlite3': dependencies['better-sqlite3'], fastify: '5.12.8' },
});

/** @returns their folder */
export function installRivals(): string {
  const folder = join(tmpdir(), 'journal-api-fastify');
  const description = join(folder, 'package.json');
  if (!existsSync(description) || readFileSync(description, 'utf8') !== PACKAGE) {
    mkdirSync(folder, { recursive: true });
    writeFileSync(description, PACKAGE);
    const options = ['--no-audit', '--no-fund', '--ignore-scripts', '--prefix', folder];
    try {
      execFileSync('npm', ['install', ...options], { stdio: 'inherit', cwd: folder });
    } catch (error) {
      writeFileSync(description, '');
      throw error;
    }
  }
  cpSync('bench/rivals', folder, { recursive: true });
  return folder;
}
