/** The C# types of members, and how they are read from JSON and written to it. */
import type { Schema } from '../api-types.ts';
import { pascal, singular } from './names.ts';

export interface Typed {
  readonly type: string;
  /** The expression that reads it from JSON, and the one that writes it. */
  readonly read: (json: string) => string;
  readonly write: (value: string) => string;
  /** Whether there may be some that cannot be read, of a newer service; they are read as null. */
  readonly isOpen?: boolean;
}

/** Parameters of functions, the innermost first: C# 7 does not let them have the same name. */
const PARAMETERS = ['one', 'other', 'another'];

/** An expression as a function. */
export const functionOf = (expression: (argument: string) => string): string => {
  const parameter = PARAMETERS.find((name) => !new RegExp(`\\b${name}\\b`).test(expression(''))) ?? '';
  return `${parameter} => ${expression(parameter)}`;
};

/** A class that is generated: a model of the document, or an object within one. */
export interface Class {
  readonly name: string;
  readonly schema: Schema;
  /** Whether it is ever part of a request. */
  readonly isSent: boolean;
  /** Whether it is ever part of a response. */
  readonly isReceived: boolean;
}

/** Models of which a member is one, by the name of their base class. */
export const UNIONS: Readonly<Record<string, readonly string[]>> = {
  BatchOperation: [
    'CreateOperation',
    'UpdateOperation',
    'MoveOperation',
    'TakeOutOperation',
    'TransferOperation',
    'DeleteOperation',
  ],
  PlanRequest: ['PlanDocument', 'PlanChanges', 'PlanRollback', 'PlanUndo'],
  PublishRequest: ['PublishDocument', 'PublishChanges', 'PublishRollback', 'PublishUndo'],
  TemplateConfig: ['GachaConfig', 'CardPackConfig', 'RoguelikeConfig', 'IdleConfig'],
};

const MAX_INT = 2 ** 31 - 1;

const simple = (type: string, kind: string): Typed => ({
  type,
  read: (json) => `JsonTo.${kind}(${json})`,
  write: (value) => `JsonFrom.${kind}(${value})`,
});

const ANY = simple('JsonValue', 'Any');
const TEXT = simple('string', 'Text');

const modelOf = (name: string): Typed => ({ ...simple(name, 'Model'), read: (json) => `${name}.Read(${json})` });

const value = (type: string, kind: string, isNullable: boolean): Typed => ({
  ...simple(isNullable ? `${type}?` : type, kind),
  read: (json) => `JsonTo.${isNullable ? '' : 'Sure'}${kind}(${json})`,
});

const several = (type: string, kind: string, inner: Typed): Typed => ({
  type,
  read: (json) => `JsonTo.${kind}(${json}, ${functionOf(inner.read)})`,
  write: (value) => `JsonFrom.${kind}(${value}, ${functionOf(inner.write)})`,
});

const integer = ({ maximum = Number.POSITIVE_INFINITY }: Schema, isNullable: boolean): Typed => {
  if (maximum > MAX_INT) return value('long', 'Integer', isNullable);
  const typed = value('int', 'Integer', isNullable);
  return { ...typed, read: (json) => `(${typed.type})${typed.read(json)}` };
};

const nameOfRef = (schema: Schema): string | undefined => schema.$ref?.split('/').at(-1);

const typesOf = ({ type }: Schema): readonly (string | undefined)[] => [type].flat().filter((one) => one !== 'null');

export const isNullable = ({ type, anyOf = [], enum: values = [] }: Schema): boolean =>
  [type].flat().includes('null') || values.includes(null) || anyOf.some((one) => one.type === 'null');

const isEmptyObject = ({ type, properties, additionalProperties }: Schema): boolean =>
  type === 'object' && Object.keys(properties ?? {}).length === 0 && additionalProperties === false;

/** `object` is what a class is added for. */
export type AddClass = (name: string, schema: Schema) => string;

const unionOf = (choices: readonly Schema[]): Typed => {
  const names = choices.map(nameOfRef);
  // Strings and numbers, such as the epoch of a proof.
  if (names.includes(undefined)) return ANY;
  const found = Object.entries(UNIONS).find(([, models]) => models.join() === names.join());
  if (found === undefined) throw new Error(`The union of ${names.join(', ')} needs a name in UNIONS.`);
  return { ...modelOf(found[0]), read: (json) => `${found[0]}.Read(${json}, whole)`, isOpen: true };
};

const anyOfType = (choices: readonly Schema[], name: string, add: AddClass): Typed => {
  const filled = choices.filter((choice) => choice.type !== 'null');
  const models = filled.filter((choice) => !isEmptyObject(choice));
  if (models.length > 1) return unionOf(models);
  const typed = typeOf(models[0] ?? {}, name, false, add);
  if (models.length === filled.length) return typed;
  return {
    ...typed,
    read: (json) => `JsonTo.Unempty(${json}, ${functionOf(typed.read)})`,
    write: (one) => `JsonFrom.Unempty(${one})`,
  };
};

const objectType = (schema: Schema, name: string, add: AddClass): Typed => {
  const { properties = {}, additionalProperties } = schema;
  if (Object.keys(properties).length > 0) return modelOf(add(name, schema));
  if (isEmptyObject(schema)) return modelOf('Empty');
  if (typeof additionalProperties !== 'object') return ANY;
  const inner = typeOf(additionalProperties, `${name}Value`, false, add);
  return several(`IReadOnlyDictionary<string, ${inner.type}>`, 'Map', inner);
};

/** The type of a member; `name` is what a class for it would be called. */
export const typeOf = (schema: Schema, name: string, canBeNull: boolean, add: AddClass): Typed => {
  const model = nameOfRef(schema);
  if (model !== undefined) return modelOf(model);
  if (schema.anyOf !== undefined) return anyOfType(schema.anyOf, name, add);
  const [type, ...others] = typesOf(schema);
  const orNull = canBeNull || isNullable(schema);
  if (others.length > 0) return ANY;
  switch (type) {
    case 'string':
      return TEXT;
    case 'boolean':
      return value('bool', 'Flag', orNull);
    case 'number':
      return value('double', 'Number', orNull);
    case 'integer':
      return integer(schema, orNull);
    case 'object':
      return objectType(schema, name, add);
    case 'array': {
      const inner = typeOf(schema.items ?? {}, singular(name), false, add);
      return several(`IReadOnlyList<${inner.type}>`, 'List', inner);
    }
    default:
      // An enumeration of texts may say no more than that, and null may be one of them.
      return schema.enum?.every((one) => one === null || typeof one === 'string') ? TEXT : ANY;
  }
};

/** The name of the class of an object within another. */
export const innerName = (className: string, member: string): string => `${className}${pascal(member)}`;
