/** What editors need to complete and check files of a catalog. */
import { CONFIGS } from './configs.ts';
import { FORMAT_VERSION, LISTS } from './entities.ts';
import { givenSchema } from './shapes.ts';

/** Whoever reads a file ignores it. */
const $schema = { type: 'string', description: 'Where this schema is, for editors.' } as const;

const template = () => {
  const schema = givenSchema('template');
  const { config, ...properties } = schema.properties as Record<string, { description?: string }>;
  return {
    ...schema,
    properties: { $schema, ...properties, config: { type: 'object', description: config?.description } },
    allOf: Object.entries(CONFIGS).map(([type, of]) => ({
      if: { properties: { type: { const: type } }, required: ['type'] },
      // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON schemas.
      then: { properties: { config: of } },
    })),
  };
};

/** A whole document, or a part of one. */
const document = () => ({
  type: 'object',
  properties: {
    $schema,
    formatVersion: { const: FORMAT_VERSION },
    ...Object.fromEntries(
      LISTS.map(([member, kind]) => [
        member,
        { type: 'array', items: kind === 'template' ? { $ref: '#/definitions/template' } : givenSchema(kind) },
      ]),
    ),
  },
  additionalProperties: false,
});

/** The JSON schema of documents, and of the files in a pulled folder: each is a part of a document, or a template. */
export const catalogJsonSchema = (): object => ({
  $schema: 'http://json-schema.org/draft-07/schema#',
  title: 'Itemwright catalog',
  type: 'object',
  if: { properties: { type: { type: 'string' } }, required: ['type'] },
  // biome-ignore lint/suspicious/noThenProperty: it is a word of JSON schemas.
  then: { $ref: '#/definitions/template' },
  else: { $ref: '#/definitions/document' },
  definitions: { document: document(), template: template() },
});
