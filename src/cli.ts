/** The command tree. */
import { Command, CommanderError } from 'commander';
import { registerBackup } from './commands/backup.ts';
import { registerCheck } from './commands/check.ts';
import { registerDemo } from './commands/demo.ts';
import { registerImport } from './commands/import.ts';
import { registerInit } from './commands/init.ts';
import { registerKey } from './commands/key.ts';
import { registerOpenapi } from './commands/openapi.ts';
import { registerServe } from './commands/serve.ts';
import { registerUpgrade } from './commands/upgrade.ts';
import { registerUser } from './commands/user.ts';
import { globalOptions } from './config.ts';
import { messageOf, UsageError, UserError } from './errors.ts';
import { FileUnavailable } from './read-only-file.ts';
import { VERSION } from './version.ts';

const program = new Command('journal-api')
  .description('Read-only HTTP API over your own trading journal.')
  .version(VERSION)
  .configureHelp({ showGlobalOptions: true })
  .exitOverride();
for (const option of globalOptions) program.addOption(option);

registerServe(program);
registerKey(program);
registerInit(program);
registerUser(program);
registerImport(program);
registerCheck(program);
registerBackup(program);
registerUpgrade(program);
registerDemo(program);
registerOpenapi(program);

// Whoever reads our output may have seen enough: journal-api key list | head -1.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code !== 'EPIPE') throw error;
  process.exit(0);
});

program.parseAsync().catch((error: unknown) => {
  process.exitCode = exitCodeOf(error);
});

/** 0 done, 1 failed, 2 wrong usage. Commander has printed its own complaints by now. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const known = error instanceof UserError || error instanceof FileUnavailable;
  process.stderr.write(`journal-api: ${known ? '' : 'unexpected error: '}${messageOf(error)}\n`);
  return error instanceof UsageError ? 2 : 1;
}
