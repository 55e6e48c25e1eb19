/** What the API reference shows beside curl: each operation as a call of the TypeScript client, with the values of its examples. */
import { OPERATIONS } from '../packages/client/src/operations.ts';
import { pathOf } from './api-types.ts';

interface Operation {
  readonly parameters?: readonly {
    readonly name: string;
    readonly in: string;
    readonly required?: boolean;
    readonly example?: unknown;
  }[];
  readonly requestBody?: { readonly content: Record<string, { readonly example?: unknown }> };
  'x-codeSamples'?: readonly { readonly lang: string; readonly label: string; readonly source: string }[];
}

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
}

/** What is paid for once must happen once: these show a key of the caller's own. */
const KEYED = ['items.roll', 'templates.roll', 'templates.spark'];

const LINE_WIDTH = 60;

/** A value as somebody would write it: short ones on a line, names without quotation marks. */
const literalOf = (value: unknown, indent = ''): string => {
  if (typeof value === 'string')
    return `'${JSON.stringify(value).slice(1, -1).replaceAll('\\"', '"').replaceAll("'", "\\'")}'`;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value);
  const inner = `${indent}  `;
  const isList = Array.isArray(value);
  const nameOf = (name: string): string => (/^[A-Za-z_]\w*$/.test(name) ? name : literalOf(name));
  const membersAt = (at: string): string[] =>
    isList
      ? value.map((one) => literalOf(one, at))
      : Object.entries(value).map(([name, one]) => `${nameOf(name)}: ${literalOf(one, at)}`);
  const members = membersAt(inner);
  const [open, close] = isList ? ['[', ']'] : ['{', '}'];
  const space = isList || members.length === 0 ? '' : ' ';
  const line = `${open}${space}${members.join(', ')}${space}${close}`;
  if (line.length + indent.length <= LINE_WIDTH && !line.includes('\n')) return line;
  return `${open}\n${members.map((member) => `${inner}${member},\n`).join('')}${indent}${close}`;
};

const sampleOf = (name: string, entry: string, { parameters = [], requestBody }: Operation): string => {
  const [verb = '', path = '', input] = entry.split(' ');
  const given = [...path.matchAll(/{(\w+)}/g)].map(
    ([, id]) => parameters.find((one) => one.in === 'path' && one.name === id)?.example,
  );
  const query = parameters.filter((one) => one.in === 'query' && one.required);
  const body = requestBody?.content['application/json']?.example;
  if (input === '{body}' && body !== undefined) given.push(body);
  else if (query.length > 0) given.push(Object.fromEntries(query.map((one) => [one.name, one.example])));
  if (KEYED.includes(name)) given.push({ idempotencyKey: 'pull-7f3a' });
  const call = `client.${name}(${given.map((value) => literalOf(value)).join(', ')})`;
  return verb === 'LIST' ? `for await (const found of ${call}) console.log(found);` : `const result = await ${call};`;
};

/** The document with a sample for each operation of the client. */
export const withCodeSamples = <D>(document: D): D => {
  const { paths } = document as Document;
  for (const [noun, entries] of Object.entries(OPERATIONS))
    for (const [method, entry] of Object.entries(entries)) {
      const { method: verb, path } = pathOf(entry);
      const operation = paths[path]?.[verb];
      if (operation === undefined) throw new Error(`The API has no ${verb} ${path}.`);
      const source = sampleOf(`${noun}.${method}`, entry, operation);
      operation['x-codeSamples'] = [{ lang: 'TypeScript', label: 'TypeScript client', source }];
    }
  return document;
};
