/** The methods of the client, from its table of operations. */
import { OPERATIONS } from '../../packages/client/src/operations.ts';
import { type Document, type Operation, pathOf, type Schema, schemaIn } from '../api-types.ts';
import type { classesOf } from './models.ts';
import { HEADING, pascal, propertyName, summary } from './names.ts';
import { functionOf, type Typed, typeOf } from './types.ts';

type Classes = ReturnType<typeof classesOf>;
type Parameter = NonNullable<Operation['parameters']>[number];

interface Method {
  readonly noun: string;
  readonly name: string;
  readonly entry: string;
  readonly operationId: string;
  readonly operation: Operation;
}

const methodsOf = ({ paths }: Document): Method[] =>
  Object.entries(OPERATIONS).flatMap(([noun, entries]) =>
    Object.entries(entries).map(([name, entry]: [string, string]) => {
      const { method, path } = pathOf(entry);
      const operation = paths[path]?.[method] as (Operation & { operationId: string }) | undefined;
      if (operation === undefined) throw new Error(`The API has no ${method} ${path}.`);
      return { noun, name, entry, operationId: operation.operationId, operation };
    }),
  );

const queryOf = ({ parameters = [] }: Operation): Parameter[] => parameters.filter((one) => one.in === 'query');

const queryName = ({ operationId }: Method): string => `${pascal(operationId)}Query`;

/** Parameters are texts, numbers, booleans and lists of texts; what may be several of these is written as a text. */
const queryType = (schema: Schema): string => {
  const { type } = typeOf(schema, '', true, () => '');
  return type === 'JsonValue' ? 'string' : type;
};

const queryText = (method: Method): string => {
  const name = queryName(method);
  const parameters = queryOf(method.operation);
  const properties = parameters.map(
    (one) =>
      `${summary(one.description, '        ')}        public ${queryType(one.schema)} ${propertyName(one.name, name)} { get; set; }\n`,
  );
  const writes = parameters.map(
    (one) => `            parameters.Set(${JSON.stringify(one.name)}, ${propertyName(one.name, name)});\n`,
  );
  return `    /// <summary>The query of <see cref="${groupName(method.noun)}.${methodName(method)}"/>.</summary>
    public sealed class ${name} : Query
    {
${properties.join('\n')}
        internal override void WriteParameters(List<KeyValuePair<string, string>> parameters)
        {
${writes.join('')}        }
    }
`;
};

const groupName = (noun: string): string => `${pascal(noun)}Operations`;

const isList = ({ entry }: Method): boolean => entry.startsWith('LIST ');

/** What sends nothing yet is not asynchronous. */
const methodName = (method: Method): string => `${pascal(method.name)}${isList(method) ? '' : 'Async'}`;

const optionsOf = ({ entry, operation }: Method): string => {
  const { parameters = [], responses } = operation;
  if (schemaIn(responses[200], 'application/x-ndjson') !== undefined) return 'WatchOptions';
  if (entry.startsWith('PATCH ')) return 'PatchOptions';
  if (parameters.some((one) => one.name === 'If-Match')) return 'ChangeOptions';
  if (responses[304] !== undefined) return 'ReadOptions';
  return entry.startsWith('POST ') ? 'PostOptions' : 'CallOptions';
};

/** The type of the body, which may be one of several models. */
const bodyOf = ({ operationId, operation }: Method): { type: string; isRequired: boolean } | undefined => {
  const schema = schemaIn(operation.requestBody);
  if (schema === undefined) return undefined;
  const { type } = typeOf(schema, `${pascal(operationId)}Body`, false, () => {
    throw new Error(`The body of ${operationId} has no name.`);
  });
  return { type, isRequired: operation.requestBody?.required ?? false };
};

const resultOf = ({ operationId, operation }: Method, { add }: Classes): Typed =>
  typeOf(schemaIn(operation.responses[200]) ?? {}, `${pascal(operationId)}Result`, false, (name, schema) =>
    add({ name, schema, isSent: false, isReceived: true }),
  );

const VERBS: Readonly<Record<string, string>> = { LIST: 'Get', ASK: 'Ask', ONCE: 'Once' };

const operationText = ({ noun, name, entry }: Method): string => {
  const [verb = '', path = ''] = entry.split(' ');
  const isLong = entry.endsWith(' long');
  const kind = VERBS[verb] ?? pascal(verb.toLowerCase());
  return `new Operation("${noun}.${name}", Verb.${kind}, "${path}"${isLong ? ', isLong: true' : ''})`;
};

const elementOf = ({ operation }: Method, classes: Classes): Typed => {
  const { items = {} } = schemaIn(operation.responses[200]) ?? {};
  return typeOf(items, '', false, () => {
    throw new Error(`The rows of ${Object.keys(classes)} have no name.`);
  });
};

const documentation = ({ entry, operation }: Method): string => {
  const { method, path } = pathOf(entry);
  const described = operation.description ? `\n\n${operation.description}` : '';
  return summary(`${operation.summary}: \`${method.toUpperCase()} ${path}\`.${described}`, '        ');
};

const methodText = (method: Method, classes: Classes): string => {
  const ids = [...method.entry.matchAll(/{(\w+)}/g)]
    .map(([, id]) => id as string)
    .filter((id) => id !== 'body' && id !== 'query');
  const body = bodyOf(method);
  const query = queryOf(method.operation);
  const isQueryRequired = query.some(({ required }) => required);
  const signature = [
    ...ids.map((id) => `string ${id}`),
    ...(body === undefined ? [] : [`${body.type} body${body.isRequired ? '' : ' = null'}`]),
    ...(query.length === 0 ? [] : [`${queryName(method)} query${isQueryRequired ? '' : ' = null'}`]),
    `${optionsOf(method)} options = null`,
    ...(isList(method) ? [] : ['CancellationToken cancellationToken = default(CancellationToken)']),
  ];
  const given = `new string[] { ${ids.join(', ')} }`.replace('{  }', '{ }');
  const typed = isList(method) ? elementOf(method, classes) : resultOf(method, classes);
  const passed = isList(method)
    ? [given, query.length === 0 ? 'null' : 'query', 'options']
    : [
        given,
        body === undefined ? 'null' : 'body',
        query.length === 0 ? 'null' : 'query',
        'options',
        'cancellationToken',
      ];
  const field = `${pascal(method.name)}Operation`;
  return `        private static readonly Operation ${field} = ${operationText(method)};

${documentation(method)}        public ${isList(method) ? 'PagedList' : 'Call'}<${typed.type}> ${methodName(method)}(${signature.join(', ')}) =>
            caller.${isList(method) ? 'List' : 'Call'}<${typed.type}>(${[field, functionOf(typed.read), ...passed].join(', ')});
`;
};

const groupText = (noun: string, methods: readonly Method[], classes: Classes): string =>
  `    /// <summary>Operations of <see cref="ItemwrightClient.${pascal(noun)}"/>.</summary>
    public sealed class ${groupName(noun)}
    {
        private readonly Caller caller;

        internal ${groupName(noun)}(Caller caller)
        {
            this.caller = caller;
        }

${methods.map((method) => methodText(method, classes)).join('\n')}    }
`;

const clientText = (nouns: readonly string[]): string =>
  `    public sealed partial class ItemwrightClient
    {
${nouns.map((noun) => `        public ${groupName(noun)} ${pascal(noun)} { get; private set; }\n`).join('\n')}
        private void CreateOperations(Caller caller)
        {
${nouns.map((noun) => `            ${pascal(noun)} = new ${groupName(noun)}(caller);\n`).join('')}        }
    }

    internal static class UserAgent
    {
        internal const string Value = "itemwright-csharp/VERSION";
    }
`;

export const operationsText = (document: Document, version: string, classes: Classes): string => {
  const methods = methodsOf(document);
  const nouns = Object.keys(OPERATIONS);
  const groups = nouns.map((noun) =>
    groupText(
      noun,
      methods.filter((method) => method.noun === noun),
      classes,
    ),
  );
  const queries = methods.filter(({ operation }) => queryOf(operation).length > 0).map(queryText);
  return `${HEADING}using System.Collections.Generic;
using System.Threading;

namespace Itemwright
{
${[clientText(nouns).replace('VERSION', version), ...groups, ...queries].join('\n')}}
`;
};
