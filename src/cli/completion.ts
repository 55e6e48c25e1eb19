/** Scripts that let a shell complete commands and options. They are generated, so they know what the help knows. */
import type { Command, Option } from 'commander';
import { fullName } from './help.ts';
import { OPTIONS } from './options.ts';
import { CommandError, type CommandSyntax } from './shared.ts';

interface Choice {
  readonly word: string;
  readonly help: string;
}

/** What may follow the words of a command that have been typed. */
interface Place {
  /** A pattern for `case`; of a whole command, more words, such as a file, may have been typed, too. */
  readonly pattern: string;
  readonly choices: readonly Choice[];
  readonly takesFile: boolean;
}

const helpOf = (command: Command): string => command.summary() || command.commands.map((one) => one.name()).join(', ');

const commandChoices = ({ commands }: Command): Choice[] =>
  commands.map((command) => ({ word: command.name(), help: helpOf(command) }));

const optionChoices = (command: Command): Choice[] =>
  command
    .createHelp()
    .visibleOptions(command)
    .map(({ long, description }) => ({ word: long as string, help: description }));

const valueChoices = (values: string): Choice[] =>
  values
    .split('|')
    .filter((word) => word !== '')
    .map((word) => ({ word, help: word }));

const placesOf = (command: Command): Place[] => {
  const typed = command.parent === null ? '' : fullName(command);
  const others = command.commands.flatMap(placesOf);
  if (others.length > 0)
    return [
      {
        pattern: `'${typed}'`,
        choices: [...commandChoices(command), ...(typed === '' ? optionChoices(command) : [])],
        takesFile: false,
      },
      ...others,
    ];
  // An argument in small letters is one of these words.
  const [values = ''] = /^[a-z]+(?:\|[a-z]+)+/.exec(command.usage()) ?? [];
  const words = typed === 'help' ? commandChoices(command.parent as Command) : [];
  return [
    {
      pattern: `'${typed}' | '${typed} '*`,
      choices: [...valueChoices(values), ...words, ...optionChoices(command)],
      takesFile: /^\S*(?:FILE|DIR)/.test(command.usage()),
    },
  ];
};

/** What a shell must do after an option that takes a value: complete files, or known values, or nothing. */
const valueCases = (complete: { files: string; words(values: readonly string[]): string }): string[] =>
  Object.values(OPTIONS)
    .filter((option) => option.required)
    .map(({ short, long, flags, argChoices }: Option) => {
      const act = /<(?:FILE|DIR)>$/.test(flags)
        ? complete.files
        : argChoices === undefined
          ? ''
          : complete.words(argChoices);
      return `    ${[...(short === undefined ? [] : [short]), long].join(' | ')}) ${act}${act === '' ? '' : '; '}return ;;`;
    });
const bash = (program: Command): string => `# Completion of itemwright for bash. To use it in every shell:
#   itemwright completion bash > ~/.local/share/bash-completion/completions/itemwright
_itemwright() {
  local current=\${COMP_WORDS[COMP_CWORD]} typed='' choices='' word index
  COMPREPLY=()
  case \${COMP_WORDS[COMP_CWORD - 1]} in
${valueCases({
  files: 'compopt -o default 2>/dev/null',
  words: (values) => `COMPREPLY=($(compgen -W '${values.join(' ')}' -- "$current"))`,
}).join('\n')}
  esac
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    [[ $word == -* ]] || typed+="\${typed:+ }$word"
  done
  case $typed in
${placesOf(program)
  .map((place) => {
    const files = place.takesFile ? ' [[ $current == -* ]] || compopt -o default 2>/dev/null;' : '';
    const words = place.choices.map(({ word }) => word);
    // Options would hide the files.
    const given = place.takesFile
      ? ` [[ $current != -* ]] || choices='${words.join(' ')}'`
      : ` choices='${words.join(' ')}'`;
    return `    ${place.pattern})${files}${given} ;;`;
  })
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -F _itemwright itemwright
`;

const zshQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const described = ({ word, help }: Choice): string => zshQuote(`${word.replaceAll(':', '\\:')}:${help}`);

const zsh = (program: Command): string => `#compdef itemwright
# Completion of itemwright for zsh. To use it, save it as _itemwright in a folder of $fpath:
#   itemwright completion zsh > ~/.zsh/completions/_itemwright
_itemwright() {
  local typed='' word index
  local -a choices
  case $words[CURRENT-1] in
${valueCases({ files: '_files', words: (values) => `compadd -- ${values.join(' ')}` }).join('\n')}
  esac
  for ((index = 2; index < CURRENT; index++)); do
    word=$words[index]
    [[ $word == -* ]] || typed+="\${typed:+ }$word"
  done
  case $typed in
${placesOf(program)
  .map(
    (place) =>
      `    ${place.pattern}) ${place.takesFile ? '[[ $PREFIX == -* ]] || _files; ' : ''}choices=(${place.choices.map(described).join(' ')}) ;;`,
  )
  .join('\n')}
  esac
  (( \${#choices} )) && _describe itemwright choices
}
# Loaded by the completion system, or by source.
if [[ $funcstack[1] == _itemwright ]]; then _itemwright "$@"; else compdef _itemwright itemwright; fi
`;

const SCRIPTS: Readonly<Record<string, (program: Command) => string>> = { bash, zsh };
const SHELLS = Object.keys(SCRIPTS);

export const completionSyntax: CommandSyntax = {
  argument: SHELLS.join('|'),
  summary: 'prints a script that completes commands and options in a shell',
  help: [
    'For bash, save it as ~/.local/share/bash-completion/completions/itemwright; for zsh, as _itemwright in a folder of',
    '$fpath. It completes the command itemwright, as an installed package has it.',
  ],
  examples: ['completion bash > ~/.local/share/bash-completion/completions/itemwright'],
};

export const completionScript = (shell: string | undefined, program: Command): string => {
  if (shell === undefined || !Object.hasOwn(SCRIPTS, shell))
    throw new CommandError(`completion needs the name of a shell: ${SHELLS.join(' or ')}`);
  return SCRIPTS[shell]?.(program) as string;
};
