/** `skill`: prints or installs the instructions for agents with a shell. */
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { skillText } from '../embedded.ts';
import { messageOf, UserError } from '../errors.ts';
import { type JournalCommand, note } from './shared/command.ts';

const NAME = 'trading-journal';

/**
 * Skill folders of Claude Code; of Codex, Gemini CLI and others that use the common one.
 */
const FOLDERS = ['.claude/skills', '.agents/skills'];

/** Only the user may change an agent's instructions, whatever the umask allows. */
const MAX_MODE = 0o644;
const MAX_FOLDER_MODE = 0o755;

export function registerSkill(program: JournalCommand): void {
  program
    .command('skill')
    .description('print the skill that teaches agents with a shell to query the journal')
    .option(
      '--install',
      `copy it to the folders of agents: ${FOLDERS.map((folder) => `~/${folder}`).join(', ')}`,
    )
    .examples('journal-api skill --install')
    .runs(({ install }: { install?: boolean }) => {
      if (!install) return void process.stdout.write(skillText());
      for (const folder of FOLDERS)
        note(`Wrote ${installIn(join(homedir(), folder, NAME))}.`);
      note(
        'Give the agent a key in its environment: ' +
          'JOURNAL_API_KEY_FILE=~/journal.key (created by "journal-api key create --out").',
      );
    });
}

function installIn(folder: string): string {
  const path = join(folder, 'SKILL.md');
  try {
    mkdirSync(folder, { recursive: true, mode: MAX_FOLDER_MODE });
    writeFileSync(path, skillText(), { mode: MAX_MODE });
    // An existing file keeps its mode.
    chmodSync(path, statSync(path).mode & MAX_MODE);
  } catch (error) {
    throw new UserError(`can't write ${path}: ${messageOf(error)}`);
  }

  return path;
}
