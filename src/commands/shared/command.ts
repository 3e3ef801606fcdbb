/** A command, with the options that many commands have. */
import { Command, type Option } from 'commander';
import { filesOf, type GlobalOptions } from '../../config.ts';
import { note, printJson } from './output.ts';

/** The values of those options. */
export interface Options extends GlobalOptions {
  user?: string;
  json?: boolean;
  dryRun?: boolean;
}

export class JournalCommand extends Command {
  override createCommand(name?: string): JournalCommand {
    return new JournalCommand(name);
  }

  addOptions(options: readonly Option[]): this {
    for (const option of options) this.addOption(option);
    return this;
  }

  /** @param whose such as "owner of the journal" */
  userOption(whose: string): this {
    return this.option('--user <id>', `${whose} (default: me, else the only user)`);
  }

  /** Options of a command that changes more than records. */
  changes(what: string, dryRun = 'report the changes without making them'): this {
    return this.userOption(`owner of the ${what}`).option('--dry-run', dryRun).option('--json', 'the report as JSON');
  }

  /** Options of a command that changes records. */
  changesRecords(): this {
    return this.option('--dry-run', 'show what would change, and change nothing')
      .userOption('owner of the records')
      .option('--json', 'the result as JSON');
  }

  lists(): this {
    return this.option('--json', 'as a JSON array');
  }

  /** Text below the options in the help. */
  explained(text: string): this {
    return this.addHelpText('after', `\n${text}`);
  }

  examples(...lines: string[]): this {
    const all = lines.map((line) => `\n  $ ${line}`).join('');
    return this.addHelpText('after', `\nExample${lines.length === 1 ? '' : 's'}:${all}`);
  }

  /** @param act takes the arguments, then all options, those of every command included */
  runs(act: (...given: never[]) => void | Promise<void>): this {
    return this.action((...given) => act(...([...given.slice(0, -2), this.optsWithGlobals()] as never[])));
  }
}

/** Where a command reads or writes, for whom, and whether it only tries. */
export function targetOf({ user, dryRun, ...options }: Options) {
  const { journal, keys, backups } = filesOf(options);
  return { journal, keys, backups, user, dryRun, now: Date.now() };
}

export const undoHint = (id: number | null) => `To undo: journal-api import undo ${id}`;

/** Prints a report as JSON, or as lines that begin with a note on a dry run. */
export function showReport(report: unknown, { json, dryRun }: Options, show: () => void): void {
  if (json) return printJson(report);
  if (dryRun) note('Dry run: nothing was written.');
  show();
}
