/** `completion`: shell completion from the command tree and the journal's labels. */
import { Argument, type Command, Option } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { CALENDAR_PERIODS } from '../journal/analytics/period.ts';
import { trades } from '../journal/resources/trades.ts';
import { userFor } from '../journal-write/read.ts';
import { openOwnClient } from './shared/local-app.ts';
import { offeredFor, offering, PATHS } from './shared/offered.ts';
import { printData, visible } from './shared/output.ts';

/** Each asks the program for candidates for the last word; without any, the shell completes files. */
const SCRIPTS: Record<string, string> = {
  bash: `_journal_api() {
  local word
  COMPREPLY=()
  while IFS= read -r word; do COMPREPLY+=("$word"); done < <(
    journal-api completion bash --words -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
  [[ \${COMPREPLY[0]} == *= ]] && compopt -o nospace 2>/dev/null
  return 0
}
complete -o default -F _journal_api journal-api`,
  zsh: `_journal_api() {
  local -a found
  found=("\${(@f)$(journal-api completion zsh --words -- "\${(@)words[2,CURRENT]}" 2>/dev/null)}")
  found=(\${found:#})
  (( \${#found} )) || { _files; return }
  if [[ \${found[1]} == *= ]]; then compadd -Q -S '' -a found; else compadd -Q -a found; fi
}
(( \${+functions[compdef]} )) || { autoload -Uz compinit && compinit }
compdef _journal_api journal-api`,
  fish: `function __journal_api
    set -l found (journal-api completion fish --words -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)
    if set -q found[1]
        printf '%s\\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c journal-api -f -a '(__journal_api)'`,
};

const SHELLS = Object.keys(SCRIPTS);

/** @param names of all commands, because only the typed ones are loaded */
export function registerCompletion(program: Command, names: readonly string[]): void {
  program
    .command('completion')
    .description("print a shell script that completes commands, options and the journal's labels")
    .addArgument(offering(SHELLS, new Argument('<shell>', SHELLS.join(', '))))
    .argument('[words...]')
    .addOption(new Option('--words', 'print candidates for the last of these words').hideHelp())
    .addHelpText(
      'after',
      `
Examples:
  $ echo 'eval "$(journal-api completion bash)"' >> ~/.bashrc
  $ echo 'eval "$(journal-api completion zsh)"' >> ~/.zshrc
  $ journal-api completion fish > ~/.config/fish/completions/journal-api.fish`,
    )
    .action(async (shell: string, words: string[], _options, command: Command) => {
      const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
      if (script === undefined) command.error(`error: the shell must be one of ${SHELLS.join(', ')}; got "${shell}"`);
      const options = command.optsWithGlobals<GlobalOptions & { words?: boolean }>();
      if (!options.words) return printData(script as string);
      const typed = shell === 'bash' ? joined(words) : words;
      const last = typed.at(-1) ?? '';
      const isQuoted = /["']/.test(last);
      for (const word of await completions(program, names, typed, options)) {
        const rest = shell === 'bash' ? word.slice(startInBash(last)) : word;
        printData(shell === 'fish' || isQuoted ? rest : escaped(rest));
      }
    });
}

/** Bash ends words at = and :, unless they are in quotation marks. */
function joined(words: readonly string[]): string[] {
  const result: string[] = [];
  let isOpen = false;
  for (const word of words) {
    const isMark = /^[=:]+$/.test(word);
    if (isMark || isOpen) result.push(`${result.pop() ?? ''}${word}`);
    else result.push(word);
    isOpen = isMark;
  }
  return result;
}

/** Length of the part of the last word that bash keeps. */
function startInBash(word: string): number {
  return /^["']/.test(word) ? 0 : Math.max(word.lastIndexOf('='), word.lastIndexOf(':')) + 1;
}

/** Escaped so that a shell reads it as one word. */
function escaped(word: string): string {
  return word.replace(/[^\w./:@%+,=~-]/g, '\\$&');
}

/** The parsed part of the command line. */
interface Typed {
  command: Command;
  /** Number of arguments so far. */
  args: number;
  /** Options with their values. */
  given: Record<string, string>;
  /** The option whose value comes next. */
  open: Option | undefined;
}

function parsed(program: Command, words: readonly string[]): Typed {
  const typed: Typed = { command: program, args: 0, given: {}, open: undefined };
  for (const word of words) {
    if (typed.open) {
      typed.given[typed.open.attributeName()] = word;
      typed.open = undefined;
    } else if (word.startsWith('-')) {
      const option = optionsOf(typed.command).find(({ long, short }) => word === long || word === short);
      if (option?.required) typed.open = option;
    } else {
      const inner = typed.command.commands.find((own) => own.name() === word);
      if (inner && typed.args === 0) typed.command = inner;
      else typed.args++;
    }
  }
  return typed;
}

/** Options of the command and its parents. */
function optionsOf(command: Command): Option[] {
  const own = command.options.filter(({ hidden }) => !hidden);
  return command.parent ? [...own, ...optionsOf(command.parent)] : own;
}

async function completions(
  program: Command,
  names: readonly string[],
  words: readonly string[],
  options: GlobalOptions,
): Promise<string[]> {
  const last = (words.at(-1) ?? '').replaceAll(/["'\\]/g, '');
  const typed = parsed(program, words.slice(0, -1));
  const { command, open, given } = typed;
  const labels = () => labelsOf({ ...options, ...given }, given['user']);
  const [, option, filter] = /^(--[a-z-]+=)?(?:([a-z_]+)=)?/.exec(last) ?? [];
  const valued = async (start: string, name: string, choices?: readonly string[]) =>
    beginning(
      last,
      (await valuesOf(name, choices, labels)).map((value) => `${start}${value}`),
    );
  if (open) return valued('', open.long?.slice(2) ?? '', open.argChoices);
  if (option !== undefined) {
    const found = optionsOf(command).find(({ long }) => `${long}=` === option);
    return valued(option, option.slice(2, -1), found?.argChoices);
  }
  if (last.startsWith('-')) return beginning(last, [...optionsOf(command).flatMap(({ long }) => long ?? []), '--help']);
  if (filter !== undefined && argumentsOf(command, 1).includes(`${filter}=`)) {
    return valued(`${filter}=`, filter);
  }
  if (command === program) return beginning(last, [...names, 'help']);
  const inner = typed.args === 0 ? command.commands.map((own) => own.name()) : [];
  return beginning(last, [...inner, ...argumentsOf(command, typed.args)]);
}

/** Values of a command's argument, unless it is a file or a text. */
function argumentsOf({ registeredArguments }: Command, at: number): readonly string[] {
  const argument = registeredArguments[at] ?? registeredArguments.at(-1);
  return (at < registeredArguments.length || argument?.variadic ? offeredFor(argument) : undefined) ?? [];
}

type Labels = Record<string, { value: string }[] | null | undefined>;

/** Values of an option or a filter. */
async function valuesOf(
  name: string,
  choices: readonly string[] | undefined,
  labels: () => Promise<Labels>,
): Promise<readonly string[]> {
  if (choices) return choices;
  if (name === 'as' || name === 'example') return PATHS;
  if (name === 'period') return ['all', ...CALENDAR_PERIODS, '7d', '30d', '90d', '1y'];
  if (name === 'timezone') return Intl.supportedValuesOf('timeZone');
  const own = trades.filters[name as keyof typeof trades.filters];
  const field = own && 'like' in own ? trades.record.shape[own.like as keyof typeof trades.record.shape] : undefined;
  if (field && 'options' in field) return field.options as string[];
  // --add-tag takes tags, --accounts takes accounts, and --trade takes symbols.
  const kind = name === 'trade' ? 'symbols' : name.replace(/^(add|remove)-/, '').replace(/s?$/, 's');
  const found = ((await labels())[kind] ?? []).map(({ value }) => value).filter((value) => visible(value) === value);
  return name === 'trade' ? ['last', ...found] : found;
}

/** The API's labels; empty without a readable journal. */
async function labelsOf(options: GlobalOptions, user: string | undefined): Promise<Labels> {
  try {
    const files = filesOf(options);
    const client = openOwnClient(files, userFor(files.journal, user).id);
    try {
      const { body } = await client.ask('/v1/labels');
      return (body as { data?: Labels }).data ?? {};
    } finally {
      client.close();
    }
  } catch {
    return {};
  }
}

/** Ignores case, as filters do. */
function beginning(start: string, words: readonly string[]): string[] {
  const wanted = start.toLowerCase();
  return [...new Set(words)].filter((word) => word.toLowerCase().startsWith(wanted));
}
