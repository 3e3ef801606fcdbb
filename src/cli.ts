/** The command tree. A command's code is loaded when it is named, so that the small ones start fast. */
import { Command, CommanderError } from 'commander';
import { globalOptions } from './config.ts';
import { VERSION } from './embedded.ts';
import { UsageError, UserError } from './errors.ts';
import { FileUnavailable } from './sqlite/errors.ts';

const COMMANDS: Record<string, () => Promise<(program: Command) => void>> = {
  serve: async () => (await import('./commands/serve.ts')).registerServe,
  open: async () => (await import('./commands/open.ts')).registerOpen,
  summary: async () => (await import('./commands/summary.ts')).registerSummary,
  key: async () => (await import('./commands/key.ts')).registerKey,
  init: async () => (await import('./commands/init.ts')).registerInit,
  user: async () => (await import('./commands/user.ts')).registerUser,
  import: async () => (await import('./commands/import.ts')).registerImport,
  export: async () => (await import('./commands/export.ts')).registerExport,
  check: async () => (await import('./commands/check.ts')).registerCheck,
  backup: async () => (await import('./commands/backup.ts')).registerBackup,
  upgrade: async () => (await import('./commands/upgrade.ts')).registerUpgrade,
  demo: async () => (await import('./commands/demo.ts')).registerDemo,
  get: async () => (await import('./commands/get.ts')).registerGet,
  mcp: async () => (await import('./commands/mcp.ts')).registerMcp,
  skill: async () => (await import('./commands/skill.ts')).registerSkill,
  openapi: async () => (await import('./commands/openapi.ts')).registerOpenapi,
};

async function main(args: readonly string[]): Promise<void> {
  const program = new Command('journal-api')
    .description('Read-only HTTP API over your own trading journal.')
    .version(VERSION)
    .configureHelp({ showGlobalOptions: true })
    .exitOverride();
  for (const option of globalOptions) program.addOption(option);
  // A word may be a command's name without being one, as in --home import: that one is loaded for nothing. Help shows all.
  const named = Object.keys(COMMANDS).filter((name) => args.includes(name));
  const isVersion = args[0] === '--version' || args[0] === '-V';
  const needed = (named.length === 0 && !isVersion) || args.includes('help') ? Object.keys(COMMANDS) : named;
  for (const name of needed) (await COMMANDS[name]?.())?.(program);
  await program.parseAsync(args, { from: 'user' });
}

// Whoever reads our output may have seen enough: journal-api key list | head -1.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

// A service outlives whoever read its messages.
process.stderr.on('error', () => {});

main(process.argv.slice(2)).catch((error: unknown) => {
  process.exitCode = exitCodeOf(error);
});

/** 0 done, 1 failed, 2 wrong usage. Prints what is wrong; commander has printed its own messages by now. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const known = error instanceof UserError || error instanceof FileUnavailable;
  const message = error instanceof Error ? error.message : String(error);
  process.stderr.write(`journal-api: ${known ? '' : 'unexpected error: '}${message}\n`);
  return error instanceof UsageError ? 2 : 1;
}
