/** What somebody who mistyped something probably meant, beyond what commander finds out. */
import { Command, Option } from 'commander';
import { COMMAND } from '../shared/program.ts';
import { fullName, leavesOf } from './help.ts';
import { SERVICE_COMMANDS, VARIABLES } from './service-commands.ts';

/** The command that the words begin with, as far as they do. */
const commandOf = (program: Command, [word, ...rest]: readonly string[]): Command => {
  const next = program.commands.find((one) => one.name() === word);
  return next === undefined ? program : commandOf(next, rest);
};

/** What commander would say about an option if these were all that there are; undefined if it is one of them. */
const complaintAbout = (flag: string, names: readonly string[]): string | undefined => {
  let complaint: string | undefined;
  const scratch = new Command().helpOption(false).exitOverride();
  scratch.configureOutput({
    outputError: (text) => {
      complaint = text;
    },
  });
  for (const name of new Set(names)) scratch.addOption(new Option(name));
  try {
    scratch.parse([flag], { from: 'user' });
  } catch {
    // It was said.
  }
  return complaint;
};

/** An option before its command, or without one: it may be an option of any command that could follow. */
const misplaced = (command: Command, flag: string, complaint: string): string => {
  const names = [command, ...leavesOf(command)]
    .flatMap((one) => one.createHelp().visibleOptions(one))
    .map(({ long }) => long as string);
  const better = complaintAbout(flag, names);
  if (better === undefined) return `${complaint}(Options come after the command that they belong to)\n`;
  return better.includes('Did you mean') ? better : complaint;
};

/** Where a setting was meant, how to give it. A value that is more than a word, such as an address, is not repeated. */
const settingHint = (command: string, flag: string, value = ''): string | undefined => {
  const name = flag.replace(/^-+/, '').replaceAll('-', '_').toUpperCase();
  if (!Object.hasOwn(VARIABLES, name)) return undefined;
  return `(${name} is an environment variable: ${name}=${/^[\w.]+$/.test(value) ? value : '…'} ${COMMAND} ${command})\n`;
};

const unknownOption = (program: Command, words: readonly string[], given: string, complaint: string): string => {
  const command = commandOf(program, words);
  const isService = Object.hasOwn(SERVICE_COMMANDS, command.name());
  const [flag = '', value = words[words.indexOf(given) + 1]] = given.split('=');
  const [first = ''] = complaint.split('\n');
  if (isService || command === program) {
    const hint = settingHint(isService ? command.name() : 'serve', flag, value);
    if (hint !== undefined) return `${first}\n${hint}`;
  }
  if (isService && !complaint.includes('--help'))
    return `${first}\n(Settings are environment variables: ${COMMAND} help serve lists them)\n`;
  return command.commands.length === 0 ? complaint : misplaced(command, flag, complaint);
};

/** A command of two words whose first was left out, or an option without its dashes. */
const unknownCommand = (program: Command, word: string, complaint: string): string => {
  const meant = [
    ...leavesOf(program)
      .filter((leaf) => leaf.name() === word && leaf.parent !== program)
      .map(fullName),
    ...(program.options.some(({ long }) => long === `--${word}`) ? [`--${word}`] : []),
  ];
  if (meant.length === 0) return complaint;
  const [first = ''] = complaint.split('\n');
  return `${first}\n(Did you mean ${meant.length > 1 ? 'one of ' : ''}${meant.join(', ')}?)\n`;
};

/** The complaint of commander about these words, with a better suggestion if there is one. */
export const withSuggestion = (complaint: string, program: Command, words: readonly string[]): string => {
  const [, kind, given = ''] = /^error: unknown (option|command) '(.*)'/.exec(complaint) ?? [];
  if (kind === 'option') return unknownOption(program, words, given, complaint);
  return kind === 'command' && words.includes(given) && commandOf(program, words) === program
    ? unknownCommand(program, given, complaint)
    : complaint;
};
