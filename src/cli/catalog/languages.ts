/** Constants as code, in the languages that games are written in. */
import type { Constant, ConstantGroup } from './constants.ts';
import { constantCase, identifiersOf, pascalCase, type Spelling } from './identifiers.ts';
import { printable } from './terminal.ts';

interface Language {
  readonly spelling: Spelling;
  /** Comes before and after all groups. */
  readonly head: readonly string[];
  readonly foot: readonly string[];
  group(group: ConstantGroup, lines: readonly string[]): readonly string[];
  constant(name: string, constant: Constant): readonly string[];
}

/** All of them escape quotes, backslashes and code units in the same way as JSON. */
const quoted = (text: string): string => printable(JSON.stringify(text));

const NOTICE =
  'Ids of the catalog, written by itemwright types. Do not edit: write it again when the catalog has changed.';
const ROOT = 'ItemwrightIds';

const typescript: Language = {
  spelling: { join: pascalCase, reserved: new Set() },
  head: [`// ${NOTICE}`],
  foot: [],
  group: ({ title, one }, lines) => [
    '',
    `export const ${title} = {`,
    ...lines.map((line) => `  ${line}`),
    '} as const;',
    `export type ${one}Id = (typeof ${title})[keyof typeof ${title}];`,
  ],
  constant: (name, { id, name: title }) => [
    `/** ${printable(title).replaceAll('*/', '* /')} */`,
    `${name}: ${quoted(id)},`,
  ],
};

const xmlText = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;');

/** Members may not be called like the class that they are in, and should not hide those of every object. */
const CSHARP_RESERVED = [
  ...['Items', 'Attributes', 'Classifiers', 'Options', 'Templates', 'Spaces'],
  ...['Equals', 'GetHashCode', 'GetType', 'ToString', 'ReferenceEquals', 'MemberwiseClone', 'Finalize'],
];

const csharp: Language = {
  spelling: { join: pascalCase, reserved: new Set(CSHARP_RESERVED) },
  head: [`// ${NOTICE}`, '', `public static class ${ROOT}`, '{'],
  foot: ['}'],
  group: ({ title }, lines) => [
    `    public static class ${title}`,
    '    {',
    ...lines.map((line) => `        ${line}`),
    '    }',
  ],
  constant: (name, { id, name: title }) => [
    `/// <summary>${xmlText(printable(title))}</summary>`,
    `public const string ${name} = ${quoted(id)};`,
  ],
};

/** Constants of the language, classes and types of the engine whose names are all capitals, and constants of every object. */
const GDSCRIPT_RESERVED = [
  ...['PI', 'TAU', 'INF', 'NAN', 'OK', 'FAILED'],
  ...['AABB', 'IP', 'JSON', 'JSONRPC', 'OS', 'RID', 'UPNP'],
  ...['NOTIFICATION_POSTINITIALIZE', 'NOTIFICATION_PREDELETE', 'NOTIFICATION_EXTENSION_RELOADED'],
  ...['CONNECT_DEFERRED', 'CONNECT_PERSIST', 'CONNECT_ONE_SHOT', 'CONNECT_REFERENCE_COUNTED'],
  'CONNECT_APPEND_SOURCE_OBJECT',
];

const gdscript: Language = {
  spelling: { join: constantCase, reserved: new Set(GDSCRIPT_RESERVED) },
  head: [`class_name ${ROOT}`, 'extends RefCounted', `## ${NOTICE}`],
  foot: [],
  group: ({ title }, lines) => [
    '',
    '',
    `class ${title}:`,
    ...(lines.length === 0 ? ['pass'] : lines).map((line) => `\t${line}`),
  ],
  constant: (name, { id, name: title }) => [`## ${printable(title)}`, `const ${name} := ${quoted(id)}`],
};

export const LANGUAGES = { ts: typescript, cs: csharp, gd: gdscript } as const;

/** The code with all constants. */
export const codeOf = (groups: readonly ConstantGroup[], language: keyof typeof LANGUAGES): string => {
  const { spelling, head, foot, group, constant }: Language = LANGUAGES[language];
  const body = groups.flatMap((one) => {
    const names = identifiersOf(one.constants, one.one, spelling);
    return group(
      one,
      one.constants.flatMap((each) => constant(names.get(each.id) as string, each)),
    );
  });
  return `${[...head, ...body, ...foot].join('\n')}\n`;
};
