/** Scripts that let a shell complete commands and options. They are generated, so they know what the help knows. */
import type { Commands } from './help.ts';
import { OPTIONS, optionNames } from './options.ts';
import { CommandError, type CommandSyntax, type Options } from './shared.ts';

interface Choice {
  readonly word: string;
  readonly help: string;
}

/** What may follow the words of a command that have been typed. */
interface Place {
  readonly typed: string;
  /** Whether more words, such as a file, may have been typed, too. */
  readonly isCommand: boolean;
  readonly choices: readonly Choice[];
  readonly takesFile: boolean;
}

const takesFile = ({ usage, takesArgument }: CommandSyntax): boolean => takesArgument && /^\S*(?:FILE|DIR)/.test(usage);

const optionChoices = (names: readonly (keyof Options)[]): Choice[] => [
  ...names.map((name) => ({ word: `--${name}`, help: OPTIONS[name].help })),
  { word: '--help', help: 'explains the command' },
];

/** The words that begin commands, each once, with what it is for. */
const firstWords = (commands: Commands): Choice[] => {
  const words = new Map<string, Choice>();
  for (const [name, { summary }] of Object.entries(commands)) {
    const [word = '', ...rest] = name.split(' ');
    const verbs = Object.keys(commands).filter((other) => other.startsWith(`${word} `));
    const help = rest.length === 0 ? summary : verbs.map((verb) => verb.slice(word.length + 1)).join(', ');
    if (!words.has(word)) words.set(word, { word, help });
  }
  return [...words.values()];
};

const placesOf = (commands: Commands): Place[] => {
  const names = Object.entries(commands);
  const first = firstWords(commands);
  const general = [
    { word: '--help', help: 'lists all commands' },
    { word: '--version', help: 'prints the version' },
  ];
  const top: Place = { typed: '', isCommand: false, choices: [...first, ...general], takesFile: false };
  const nouns = first
    .filter(({ word }) => !Object.hasOwn(commands, word))
    .map(({ word }): Place => {
      const verbs = names
        .filter(([name]) => name.startsWith(`${word} `))
        .map(([name, { summary }]) => ({ word: name.slice(word.length + 1), help: summary }));
      return { typed: word, isCommand: false, choices: verbs, takesFile: false };
    });
  const whole = names.map(([name, command]): Place => {
    const values = name === 'completion' ? SHELLS.map((word) => ({ word, help: `a script for ${word}` })) : [];
    const others = name === 'help' ? first : [];
    return {
      typed: name,
      isCommand: true,
      choices: [...values, ...others, ...optionChoices(command.options)],
      takesFile: takesFile(command),
    };
  });
  return [top, ...nouns, ...whole];
};

const spellings = (name: keyof Options): string[] => {
  const { short } = OPTIONS[name];
  return [...(short === undefined ? [] : [`-${short}`]), `--${name}`];
};

const patternOf = ({ typed, isCommand }: Place): string => (isCommand ? `'${typed}' | '${typed} '*` : `'${typed}'`);

/** What a shell must do after an option that takes a value: complete files, or known values, or nothing. */
const valueCases = (complete: { files: string; words(values: readonly string[]): string }): string[] =>
  optionNames
    .filter((name) => OPTIONS[name].value !== undefined)
    .map((name) => {
      const { value, values } = OPTIONS[name];
      const act = value === 'FILE' ? complete.files : values === undefined ? '' : complete.words(values);
      return `    ${spellings(name).join(' | ')}) ${act}${act === '' ? '' : '; '}return ;;`;
    });

const bash = (commands: Commands): string => `# Completion of itemwright for bash. To use it in every shell:
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
${placesOf(commands)
  .map((place) => {
    const files = place.takesFile ? ' [[ $current == -* ]] || compopt -o default 2>/dev/null;' : '';
    const words = place.choices.map(({ word }) => word);
    // Options would hide the files.
    const given = place.takesFile
      ? ` [[ $current != -* ]] || choices='${words.join(' ')}'`
      : ` choices='${words.join(' ')}'`;
    return `    ${patternOf(place)})${files}${given} ;;`;
  })
  .join('\n')}
  esac
  COMPREPLY=($(compgen -W "$choices" -- "$current"))
}
complete -F _itemwright itemwright
`;

const zshQuote = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;
const described = ({ word, help }: Choice): string => zshQuote(`${word.replaceAll(':', '\\:')}:${help}`);

const zsh = (commands: Commands): string => `#compdef itemwright
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
${placesOf(commands)
  .map(
    (place) =>
      `    ${patternOf(place)}) ${place.takesFile ? '[[ $PREFIX == -* ]] || _files; ' : ''}choices=(${place.choices.map(described).join(' ')}) ;;`,
  )
  .join('\n')}
  esac
  (( \${#choices} )) && _describe itemwright choices
}
# Loaded by the completion system, or by source.
if [[ $funcstack[1] == _itemwright ]]; then _itemwright "$@"; else compdef _itemwright itemwright; fi
`;

const SCRIPTS: Readonly<Record<string, (commands: Commands) => string>> = { bash, zsh };
const SHELLS = Object.keys(SCRIPTS);

export const completionSyntax: CommandSyntax = {
  usage: SHELLS.join('|'),
  summary: 'prints a script that completes commands and options in a shell',
  help: [
    'For bash, save it as ~/.local/share/bash-completion/completions/itemwright; for zsh, as _itemwright in a folder of',
    '$fpath. It completes the command itemwright, as an installed package has it.',
  ],
  examples: ['completion bash > ~/.local/share/bash-completion/completions/itemwright'],
  takesArgument: true,
  options: [],
};

export const completionScript = (shell: string | undefined, commands: Commands): string => {
  if (shell === undefined || !Object.hasOwn(SCRIPTS, shell))
    throw new CommandError(`completion needs the name of a shell: ${SHELLS.join(' or ')}`);
  return SCRIPTS[shell]?.(commands) as string;
};
