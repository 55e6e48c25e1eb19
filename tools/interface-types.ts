/**
 * Types of the interface, written from its OpenAPI document in the shape that `openapi-fetch` reads. The usual generator
 * needs the compiler's old programming interface, which the TypeScript of this project no longer has.
 */

interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  anyOf?: Schema[];
  description?: string;
  properties?: Record<string, Schema>;
  required?: string[];
  items?: Schema;
  additionalProperties?: boolean | Schema;
  patternProperties?: Record<string, Schema>;
}

interface Parameter {
  name: string;
  in: 'query' | 'path' | 'header';
  required?: boolean;
  schema: Schema;
}

interface Media {
  content?: Record<string, { schema: Schema }>;
}

interface Operation {
  summary?: string;
  parameters?: Parameter[];
  requestBody?: Media & { required?: boolean };
  responses: Record<string, Media>;
}

export interface Document {
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, Schema> };
}

const HEADING = '// Written by `npm run interface-types` from openapi.json; not to be edited.\n';

const comment = (text: string | undefined): string => (text ? `/** ${text.replaceAll('*/', '* /')} */\n` : '');

const key = (name: string): string => (/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name));

const objectType = (schema: Schema): string => {
  const { properties, required = [], additionalProperties, patternProperties = {} } = schema;
  const values = [
    ...Object.values(patternProperties),
    ...(typeof additionalProperties === 'object' ? [additionalProperties] : []),
  ];
  if (values.length > 0) return `Record<string, ${values.map(typeOf).join(' | ')}>`;
  const members = Object.entries(properties ?? {});
  if (members.length === 0) return 'Record<string, never>';
  const lines = members.map(
    ([name, member]) =>
      `${comment(member.description)}${key(name)}${required.includes(name) ? '' : '?'}: ${typeOf(member)};`,
  );
  return `{\n${lines.join('\n')}\n}`;
};

const namedType = (name: string | undefined, schema: Schema): string => {
  switch (name) {
    case 'object':
      return objectType(schema);
    case 'array':
      return `Array<${typeOf(schema.items ?? {})}>`;
    case 'integer':
      return 'number';
    case 'number':
    case 'string':
    case 'boolean':
    case 'null':
      return name;
    default:
      return 'unknown';
  }
};

const typeOf = (schema: Schema): string => {
  if (schema.$ref !== undefined)
    return `components['schemas'][${JSON.stringify(schema.$ref.split('/').at(-1) as string)}]`;
  if (schema.anyOf !== undefined) return schema.anyOf.map(typeOf).join(' | ');
  if (schema.enum !== undefined) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  return [schema.type]
    .flat()
    .map((name) => namedType(name, schema))
    .join(' | ');
};

const contentOf = ({ content }: Media): string =>
  content === undefined
    ? 'content?: never;'
    : `content: { ${Object.entries(content)
        .map(([media, { schema }]) => `${key(media)}: ${typeOf(schema)};`)
        .join(' ')} };`;

const parametersOf = (parameters: Parameter[], place: Parameter['in']): string => {
  const own = parameters.filter((parameter) => parameter.in === place);
  if (own.length === 0) return `${place}?: never;`;
  const optional = own.every(({ required }) => !required) ? '?' : '';
  const members = own.map(({ name, required, schema }) => `${key(name)}${required ? '' : '?'}: ${typeOf(schema)};`);
  return `${place}${optional}: { ${members.join(' ')} };`;
};

const operationType = ({ parameters = [], requestBody, responses }: Operation): string => {
  const places = (['query', 'header', 'path'] as const).map((place) => parametersOf(parameters, place));
  const body =
    requestBody === undefined
      ? 'requestBody?: never;'
      : `requestBody${requestBody.required ? '' : '?'}: { ${contentOf(requestBody)} };`;
  const answers = Object.entries(responses).map(
    ([status, response]) => `${status}: { headers: Record<string, unknown>; ${contentOf(response)} };`,
  );
  return `{\nparameters: { ${places.join(' ')} cookie?: never };\n${body}\nresponses: {\n${answers.join('\n')}\n};\n}`;
};

/** Not yet laid out: whoever writes the file formats it. */
export const interfaceTypes = ({ paths, components }: Document): string => {
  const operations = Object.entries(paths).map(
    ([path, methods]) =>
      `${JSON.stringify(path)}: {\n${Object.entries(methods)
        .map(([method, operation]) => `${comment(operation.summary)}${method}: ${operationType(operation)};`)
        .join('\n')}\n};`,
  );
  const schemas = Object.entries(components.schemas).map(
    ([name, schema]) => `${comment(schema.description)}${key(name)}: ${typeOf(schema)};`,
  );
  return `${HEADING}\nexport interface paths {\n${operations.join('\n')}\n}\n\nexport interface components {\nschemas: {\n${schemas.join('\n')}\n};\n}\n`;
};
