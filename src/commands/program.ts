/**
 * The command tree. A command's code is loaded only if named, so that small commands
 * start fast.
 */
import { CommanderError } from 'commander';
import { globalOptions } from '../config.ts';
import { COMMAND_LINES, type CommandLine, VERSION } from '../embedded.ts';
import { KeyRefused, UsageError, UserError } from '../errors.ts';
import { FileUnavailable } from '../sqlite/errors.ts';
import { JournalCommand, note, writeError } from './shared/command.ts';

const COMMANDS: Record<
  string,
  (args: readonly string[]) => Promise<(program: JournalCommand) => void>
> = {
  serve: async () => (await import('./serve.ts')).registerServe,
  service: async () => (await import('./service.ts')).registerService,
  open: async () => (await import('./open.ts')).registerOpen,
  summary: async () => (await import('./summary.ts')).registerSummary,
  report: async () => (await import('./report.ts')).registerReport,
  key: async () => (await import('./key.ts')).registerKey,
  init: async () => (await import('./user.ts')).registerInit,
  user: async () => (await import('./user.ts')).registerUser,
  import: async (args) => {
    const { registerImport } = await import('./import.ts');
    const formats = await formatNames(args);
    return (program) => registerImport(program, formats);
  },
  fill: async () => (await import('./fill.ts')).registerFill,
  annotate: async () => (await import('./annotate.ts')).registerAnnotate,
  note: async () => (await import('./note.ts')).registerNote,
  group: async () => (await import('./group.ts')).registerGroup,
  ungroup: async () => (await import('./group.ts')).registerUngroup,
  remove: async () => (await import('./remove.ts')).registerRemove,
  cash: async () => (await import('./cash.ts')).registerCash,
  account: async () => (await import('./account.ts')).registerAccount,
  fees: async () => (await import('./fees.ts')).registerFees,
  rates: async () => (await import('./rates.ts')).registerRates,
  expire: async () => (await import('./expire.ts')).registerExpire,
  limits: async () => (await import('./limits.ts')).registerLimits,
  excursions: async () => (await import('./excursions.ts')).registerExcursions,
  export: async () => (await import('./export.ts')).registerExport,
  day: async () => (await import('./day.ts')).registerDay,
  week: async () => (await import('./day.ts')).registerWeek,
  check: async () => (await import('./check.ts')).registerCheck,
  backup: async () => (await import('./backup.ts')).registerBackup,
  upgrade: async () => (await import('./upgrade.ts')).registerUpgrade,
  demo: async () => (await import('./demo.ts')).registerDemo,
  get: async () => (await import('./get.ts')).registerGet,
  mcp: async () => (await import('./mcp.ts')).registerMcp,
  skill: async () => (await import('./skill.ts')).registerSkill,
  openapi: async () => (await import('./openapi.ts')).registerOpenapi,
  completion: async () => {
    const { registerCompletion } = await import('./completion.ts');
    return (program) => registerCompletion(program, Object.keys(COMMANDS));
  },
};

/**
 * Choices of --format. The formats are most of the program; `import list` and `import
 * undo` don't load them.
 */
async function formatNames(args: readonly string[]): Promise<string[] | undefined> {
  if (['list', 'undo'].includes(args[args.indexOf('import') + 1] ?? '')) return undefined;
  const { KNOWN_FORMATS } = await import('../import/files/recognise.ts');
  return KNOWN_FORMATS.map(({ name }) => name);
}

/**
 * Runs a command to its end. Errors go to stderr.
 * @param args of the command line, without the program's name
 * @returns the exit code: 0 done, 1 failed, 2 wrong usage, 4 key refused
 */
export async function runProgram(args: readonly string[]): Promise<number> {
  try {
    await parse(args);
    return 0;
  } catch (error) {
    return exitCodeOf(error);
  }
}

async function parse(args: readonly string[]): Promise<void> {
  const program = new JournalCommand('journal-api')
    .description('Read-only HTTP API over your own trading journal.')
    .version(VERSION)
    .addOptions(globalOptions)
    .configureHelp({ showGlobalOptions: true })
    .configureOutput({ writeErr: writeError })
    .exitOverride();
  // A value may look like a command's name, as in --home import: that command is loaded
  // needlessly. Help shows all.
  const needsAll =
    !Object.keys(COMMANDS).some((name) => args.includes(name)) || args.includes('help');
  for (const [name, load] of Object.entries(COMMANDS)) {
    const line = COMMAND_LINES?.find(
      ({ usage }) => usage === name || usage.startsWith(`${name} `),
    );
    if (args.includes(name) || (needsAll && !line)) (await load(args))(program);
    else if (needsAll && line) addLine(program, line);
  }

  await program.parseAsync(args, { from: 'user' });
}

/** Adds a command for the list only, because loading all would take 250 ms. */
function addLine(
  program: JournalCommand,
  { usage, description, hasOptions }: CommandLine,
): void {
  const command = program.command(usage).description(description);
  if (hasOptions) command.option('--any');
}

/** The list of all commands, which the build embeds. */
export async function commandLines(): Promise<CommandLine[]> {
  const program = new JournalCommand();
  for (const load of Object.values(COMMANDS)) (await load([]))(program);
  const help = program.createHelp();

  return program.commands.map((command) => ({
    usage: help.subcommandTerm(command).replace(' [options]', ''),
    description: command.description(),
    hasOptions: command.options.length > 0,
  }));
}

/** Prints the error, unless commander has already printed it. */
function exitCodeOf(error: unknown): number {
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const known = error instanceof UserError || error instanceof FileUnavailable;
  const message = error instanceof Error ? error.message : String(error);
  note(`journal-api: ${known ? '' : 'unexpected error: '}${message}`);
  if (error instanceof KeyRefused) return 4;
  return error instanceof UsageError ? 2 : 1;
}
