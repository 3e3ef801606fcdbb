/** `completion`: shell completion from the command tree and the journal's labels. */
import { type Command, Option } from 'commander';
import { filesOf, type GlobalOptions } from '../config.ts';
import { CALENDAR_PERIODS } from '../journal/analytics/period.ts';
import { RESOURCES } from '../journal/resources/index.ts';
import { trades } from '../journal/resources/trades.ts';
import { userFor } from '../journal-write/open.ts';
import { DAY_ORDERS } from '../parse/times.ts';
import { type JournalCommand, printData, visible } from './shared/command.ts';
import { openOwnClient } from './shared/local-app.ts';

/**
 * Each asks the program for candidates for the last word; without any, the shell
 * completes files.
 */
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
  // Before 7.3, PowerShell passes no empty word to a program.
  powershell: `Register-ArgumentCompleter -Native -CommandName journal-api -ScriptBlock {
  param($word, $ast, $cursor)
  $words = @($ast.CommandElements | Select-Object -Skip 1 |
    Where-Object { $_.Extent.EndOffset -le $cursor } | ForEach-Object { $_.Extent.Text })
  if ($word -eq '') { $words += if ($PSVersionTable.PSVersion -ge [version]'7.3') { '' } else { '""' } }
  journal-api completion powershell --words -- @words 2>$null | ForEach-Object {
    [System.Management.Automation.CompletionResult]::new($_, $_, 'ParameterValue', $_)
  }
}`,
};

const SHELLS = Object.keys(SCRIPTS);

const PATHS = RESOURCES.map(({ path }) => path);

/** Filters of the list of trades. */
const FILTERS = [...Object.keys(trades.filters), 'period', 'start', 'end'].map(
  (name) => `${name}=`,
);

/**
 * Values of arguments without choices, by their names in the command tree. Unlike choices
 * they limit nothing.
 */
const ARGUMENTS: Readonly<Record<string, readonly string[]>> = {
  path: [...PATHS, 'summary', 'analytics/summary', 'labels', 'me'],
  parameters: FILTERS,
  filters: ['last', ...FILTERS],
  resource: RESOURCES.filter(({ table }) => table !== null).map(({ path }) => path),
  shell: SHELLS,
};

/** @param names of all commands, because only the typed ones are loaded */
export function registerCompletion(
  program: JournalCommand,
  names: readonly string[],
): void {
  program
    .command('completion')
    .description(
      "print a shell script that completes commands, options and the journal's labels",
    )
    .argument('<shell>', SHELLS.join(', '))
    .argument('[words...]')
    .addOption(
      new Option('--words', 'print candidates for the last of these words').hideHelp(),
    )
    .examples(
      `echo 'eval "$(journal-api completion bash)"' >> ~/.bashrc`,
      `echo 'eval "$(journal-api completion zsh)"' >> ~/.zshrc`,
      'journal-api completion fish > ~/.config/fish/completions/journal-api.fish',
      'journal-api completion powershell >> $PROFILE',
    )
    .runs(
      (shell: string, words: string[], options: GlobalOptions & { words?: boolean }) => {
        const script = Object.hasOwn(SCRIPTS, shell) ? SCRIPTS[shell] : undefined;
        if (script === undefined)
          program.error(
            `error: the shell must be one of ${SHELLS.join(', ')}; got "${shell}"`,
          );

        if (!options.words) return printData(script);
        return printCandidates(program, names, { shell, words }, options);
      },
    );
}

async function printCandidates(
  program: JournalCommand,
  names: readonly string[],
  { shell, words }: { shell: string; words: string[] },
  options: GlobalOptions,
): Promise<void> {
  const typed = shell === 'bash' ? joined(words) : words;
  const last = typed.at(-1) ?? '';
  const isQuoted = /["']/.test(last);
  for (const word of await completions(program, names, typed, options)) {
    const rest = shell === 'bash' ? word.slice(startInBash(last)) : word;
    printData(isQuoted ? rest : asWordOf(shell, rest));
  }
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
  return /^["']/.test(word)
    ? 0
    : Math.max(word.lastIndexOf('='), word.lastIndexOf(':')) + 1;
}

/** A text that the shell reads as one word. */
function asWordOf(shell: string, text: string): string {
  // Fish quotes by itself.
  if (shell === 'fish') return text;

  const special = /[^\w./:@%+,=~-]/g;
  if (shell !== 'powershell') return text.replace(special, '\\$&');
  return text.search(special) === -1 ? text : `'${text.replaceAll("'", "''")}'`;
}

/**
 * The words before the last: their command, the number of its arguments, options with
 * their values, and the one whose value comes next.
 */
function parsed(program: Command, words: readonly string[]) {
  let [command, args] = [program, 0];
  let open: Option | undefined;
  const given: Record<string, string> = {};

  for (const word of words) {
    if (open) {
      given[open.attributeName()] = word;
      open = undefined;
      continue;
    }
    if (word.startsWith('-')) {
      const option = optionsOf(command).find(
        ({ long, short }) => word === long || word === short,
      );
      open = option?.required ? option : undefined;
      continue;
    }

    const inner =
      args === 0 ? command.commands.find((known) => known.name() === word) : undefined;
    if (inner) command = inner;
    else args++;
  }

  return { command, args, given, open };
}

/** Options of the command and its parents. */
function optionsOf(command: Command): Option[] {
  const shown = command.options.filter(({ hidden }) => !hidden);
  return command.parent ? [...shown, ...optionsOf(command.parent)] : shown;
}

async function completions(
  program: Command,
  names: readonly string[],
  words: readonly string[],
  options: GlobalOptions,
): Promise<string[]> {
  const last = (words.at(-1) ?? '').replaceAll(/["'\\]/g, '');
  const { command, args, open, given } = parsed(program, words.slice(0, -1));
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
  if (last.startsWith('-'))
    return beginning(last, [
      ...optionsOf(command).flatMap(({ long }) => long ?? []),
      '--help',
    ]);
  if (filter !== undefined && argumentsOf(command, 1).includes(`${filter}=`)) {
    return valued(`${filter}=`, filter);
  }
  if (command === program) return beginning(last, [...names, 'help']);

  const inner = args === 0 ? command.commands.map((subcommand) => subcommand.name()) : [];
  return beginning(last, [...inner, ...argumentsOf(command, args)]);
}

/** Values of a command's argument, unless it is a file or a text. */
function argumentsOf({ registeredArguments }: Command, at: number): readonly string[] {
  const argument = registeredArguments[at] ?? registeredArguments.at(-1);
  if (!argument || (at >= registeredArguments.length && !argument.variadic)) return [];
  return argument.argChoices ?? ARGUMENTS[argument.name()] ?? [];
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
  if (name === 'format')
    return (await import('../import/files/recognise.ts')).KNOWN_FORMATS.map(
      (format) => format.name,
    );
  if (name === 'period') return ['all', ...CALENDAR_PERIODS, '7d', '30d', '90d', '1y'];
  if (name === 'dates') return DAY_ORDERS;
  if (name === 'timezone') return Intl.supportedValuesOf('timeZone');

  const filter = trades.filters[name as keyof typeof trades.filters];
  const field =
    filter && 'like' in filter
      ? trades.record.shape[filter.like as keyof typeof trades.record.shape]
      : undefined;
  if (field && 'options' in field) return field.options;

  // --add-tag takes tags, --accounts takes accounts, and --trade takes symbols.
  const kind =
    name === 'trade' ? 'symbols' : name.replace(/^(add|remove)-/, '').replace(/s?$/, 's');
  const found = ((await labels())[kind] ?? [])
    .map(({ value }) => value)
    .filter((value) => visible(value) === value);
  return name === 'trade' ? ['last', ...found] : found;
}

/** The API's labels; empty without a readable journal. */
async function labelsOf(
  options: GlobalOptions,
  user: string | undefined,
): Promise<Labels> {
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
