/** The classes of requests and responses, and constants for texts of which there are only some. */
import { type Document, modelsIn, type Schema } from '../api-types.ts';
import { HEADING, pascal, propertyName, summary } from './names.ts';
import { type Class, functionOf, innerName, isNullable, type Typed, typeOf, UNIONS } from './types.ts';

interface Member {
  readonly name: string;
  readonly property: string;
  readonly schema: Schema;
  readonly typed: Typed;
  readonly isRequired: boolean;
  /** May be left out and may be null, which is not the same in a request. */
  readonly isOptional: boolean;
  /** The text that it always is, such as the type of an operation of a batch. */
  readonly constant: string | undefined;
}

const constantOf = ({ isSent, isReceived }: Class, { enum: values = [] }: Schema, isRequired: boolean) =>
  isSent && !isReceived && isRequired && values.length === 1 && typeof values[0] === 'string' ? values[0] : undefined;

const membersOf = (owner: Class, add: (name: string, schema: Schema) => string): Member[] =>
  Object.entries(owner.schema.properties ?? {}).map(([name, schema]) => {
    const isRequired = owner.schema.required?.includes(name) ?? false;
    // What was forgotten must be missing in a request, not 0.
    const canBeNull = owner.isSent || !isRequired;
    return {
      name,
      property: propertyName(name, owner.name),
      schema,
      typed: typeOf(schema, innerName(owner.name, name), canBeNull, add),
      isRequired,
      isOptional: owner.isSent && !isRequired && isNullable(schema),
      constant: constantOf(owner, schema, isRequired),
    };
  });

const declaration = ({ property, schema, typed, isOptional, constant }: Member): string => {
  const documented = summary(schema.description, '        ');
  if (constant !== undefined) return `${documented}        public string ${property} => ${JSON.stringify(constant)};\n`;
  const type = isOptional ? `Optional<${typed.type}>` : typed.type;
  return `${documented}        public ${type} ${property} { get; set; }\n`;
};

const writing = ({ name, property, schema, typed, isRequired, isOptional }: Member): string => {
  const key = JSON.stringify(name);
  if (isOptional) return `members.AddOptional(${key}, ${property}, ${functionOf(typed.write)});`;
  const add = isRequired && isNullable(schema) ? 'Add' : 'AddGiven';
  return `members.${add}(${key}, ${typed.write(property)});`;
};

const reading = ({ name, property, typed }: Member): string => {
  const take = `${property} = ${typed.read('value')}`;
  // What cannot be read is one of the additional members, so that it is not lost when it is sent back.
  return `case ${JSON.stringify(name)}: ${typed.isOpen ? `return (${take}) != null;` : `${take}; return true;`}`;
};

const block = (lines: readonly string[], indent: string): string => lines.map((line) => `${indent}${line}\n`).join('');

/** What is only sent is never read. */
const readText = ({ name, isReceived }: Class, members: readonly Member[]): string =>
  !isReceived
    ? ''
    : `
        internal static ${name} Read(JsonValue json) => Fill(json, new ${name}());

        internal override bool ReadMember(string name, JsonValue value, JsonValue whole)
        {
            switch (name)
            {
${block([...members.map(reading), 'default: return false;'], '                ')}            }
        }
`;

const classText = (owner: Class, members: readonly Member[], base: string): string =>
  `${summary(owner.schema.description, '    ')}    public sealed class ${owner.name} : ${base}
    {
${members.map(declaration).join('\n')}${members.length > 0 ? '\n' : ''}        internal override void WriteMembers(List<KeyValuePair<string, JsonValue>> members)
        {
${block(members.map(writing), '            ')}        }
${readText(owner, members)}    }
`;

/** Which model of a union is meant stands beside it, as its `type`; where it does not, requests are all that has one. */
const unionText = (name: string, models: readonly string[], isReceived: boolean): string => {
  const list = models.map((model) => `<see cref="${model}"/>`).join(', ');
  const read = `
        /// <summary>Null for one of a type that this version of the client does not know.</summary>
        internal static ${name} Read(JsonValue json, JsonValue whole)
        {
            switch (JsonTo.Text(whole["type"]))
            {
${block(
  models.map((model) => `case ${JSON.stringify(typeNameOf(model, name))}: return ${model}.Read(json);`),
  '                ',
)}                default: return null;
            }
        }
`;
  return `    /// <summary>One of ${list}.</summary>
    public abstract class ${name} : Model
    {
        internal ${name}()
        {
        }
${isReceived ? read : ''}    }
`;
};

/** `CardPackConfig` is the configuration of a template of type `card_pack`. */
const typeNameOf = (model: string, union: string): string =>
  model
    .replace(new RegExp(`${/[A-Z][a-z]*$/.exec(union)?.[0]}$`), '')
    .replaceAll(/(?<=[a-z])[A-Z]/g, '_$&')
    .toLowerCase();

interface Constants {
  readonly name: string;
  readonly values: readonly string[];
}

/** Sets of texts, each once, by the shortest of their names. */
const constantsOf = (classes: readonly { owner: Class; members: readonly Member[] }[]): Constants[] => {
  const found = new Map<string, Constants>();
  for (const { owner, members } of classes)
    for (const { name: member, schema } of members) {
      const values = (schema.enum ?? []).filter((value) => typeof value === 'string');
      const name = innerName(owner.name, member);
      const known = found.get(values.join())?.name;
      if (values.length > 1 && (known === undefined || name.length < known.length))
        found.set(values.join(), { name, values });
    }
  return [...found.values()];
};

const constantsText = ({ name, values }: Constants): string =>
  `    /// <summary>Texts that are known; a newer service may have more.</summary>
    public static class ${name}
    {
${block(
  values.map((value) => `public const string ${pascal(value)} = ${JSON.stringify(value)};`),
  '        ',
)}    }
`;

/** Classes of the document and, as they turn up, of objects within them and of the responses of operations. */
export const classesOf = (document: Document) => {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  const sent = modelsIn(
    document,
    operations.map(({ requestBody }) => requestBody),
  );
  const received = modelsIn(
    document,
    operations.map(({ responses }) => responses),
  );
  const classes = new Map<string, { owner: Class; members: Member[] }>();
  const add = (owner: Class): string => {
    if (classes.has(owner.name)) throw new Error(`There are two classes ${owner.name}.`);
    const entry = { owner, members: [] as Member[] };
    classes.set(owner.name, entry);
    entry.members.push(...membersOf(owner, (name, schema) => add({ ...owner, name, schema })));
    return owner.name;
  };
  for (const [name, schema] of Object.entries(document.components.schemas))
    if (sent.has(name) || received.has(name))
      add({ name, schema, isSent: sent.has(name), isReceived: received.has(name) });
  return { classes, add };
};

export const modelsText = ({ classes }: ReturnType<typeof classesOf>): string => {
  const all = [...classes.values()];
  const baseOf = (name: string): string =>
    Object.entries(UNIONS).find(([, models]) => models.includes(name))?.[0] ?? 'Model';
  const unions = Object.entries(UNIONS).map(([name, models]) =>
    unionText(
      name,
      models,
      models.some((model) => classes.get(model)?.owner.isReceived),
    ),
  );
  const constants = constantsOf(all).filter(({ name }) => {
    if (classes.has(name)) throw new Error(`There are a class and constants ${name}.`);
    return true;
  });
  return `${HEADING}using System.Collections.Generic;

namespace Itemwright
{
${[
  ...unions,
  ...constants.map(constantsText),
  ...all.map(({ owner, members }) => classText(owner, members, baseOf(owner.name))),
].join('\n')}}
`;
};
