/** `skill`: how an agent with a shell asks the journal, as the text that such agents look for. */
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { Command } from 'commander';
import { skillText } from '../embedded.ts';
import { messageOf, UserError } from '../errors.ts';
import { note } from './output.ts';

const NAME = 'trading-journal';

/** Where agents look for the skills of a user: Claude Code; Codex, Gemini CLI and others that keep to the common place. */
const FOLDERS = ['.claude/skills', '.agents/skills'];

/** At most. */
const MODE = 0o644;

export function registerSkill(program: Command): void {
  program
    .command('skill')
    .description('print the skill that teaches agents with a shell to ask the journal')
    .option('--install', `copy it to where agents look: ${FOLDERS.map((folder) => `~/${folder}`).join(', ')}`)
    .addHelpText('after', '\nExample:\n  $ journal-api skill --install')
    .action(({ install }: { install?: boolean }) => {
      if (!install) return void process.stdout.write(skillText());
      for (const folder of FOLDERS) note(`Wrote ${installIn(join(homedir(), folder, NAME))}.`);
      note(
        'Give the agent a key in its environment: JOURNAL_API_KEY_FILE=~/journal.key (from "journal-api key create --out").',
      );
    });
}

function installIn(folder: string): string {
  const path = join(folder, 'SKILL.md');
  try {
    mkdirSync(folder, { recursive: true });
    writeFileSync(path, skillText(), { mode: MODE });
    // A file that was there keeps its mode, which may let others write what an agent will do.
    chmodSync(path, statSync(path).mode & MODE);
  } catch (error) {
    throw new UserError(`${path} can't be written: ${messageOf(error)}`);
  }
  return path;
}
