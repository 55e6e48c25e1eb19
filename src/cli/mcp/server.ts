/** The only place that knows the protocol. It is loaded by the command alone: its packages are larger than the service. */
import type { Readable, Writable } from 'node:stream';
import { Server } from '@modelcontextprotocol/sdk/server/index.js';
import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js';
import {
  CallToolRequestSchema,
  type CallToolResult,
  type Tool as ListedTool,
  ListToolsRequestSchema,
} from '@modelcontextprotocol/sdk/types.js';
import { LIMITS } from '../../shared/limits.ts';
import { VERSION } from '../../shared/program.ts';
import type { CatalogDocument } from '../catalog/api.ts';
import { type Connection, connect, explain, notItemwright } from '../catalog/connection.ts';
import { CommandError, formatCount } from '../shared.ts';
import { CATALOG_TOOLS } from './catalog-tools.ts';
import { DRAFT_TOOLS } from './draft-tools.ts';
import { ODDS_TOOLS } from './odds-tools.ts';
import { firstPage, type Tool, type Workshop } from './tool.ts';

const TOOLS: readonly Tool[] = [...CATALOG_TOOLS, ...ODDS_TOOLS, ...DRAFT_TOOLS];

const INSTRUCTIONS = `Itemwright keeps the item catalog of a game: items with classifier options such as rarities, and templates with the odds
of banners, packs and chests. Read the catalog, look at exact odds, simulate players, and plan changes. Nothing here publishes:
save what the designer wants as a draft, which a person reviews and publishes in the console.`;

const listedTool = ({ name, title, description, inputSchema, effect }: Tool): ListedTool => ({
  name,
  title,
  description,
  inputSchema: inputSchema as ListedTool['inputSchema'],
  annotations: {
    readOnlyHint: effect === 'none',
    destructiveHint: effect === 'replaces',
    idempotentHint: effect !== 'adds',
    openWorldHint: false,
  },
});

/** The catalog is read again only if there is another version. */
const catalogReader = (connection: Connection, client: Workshop['client']) => {
  let known: { readonly document: CatalogDocument; readonly version: number } | undefined;
  return async (signal: AbortSignal): ReturnType<Workshop['catalog']> => {
    if (known !== undefined) {
      const { rows } = await firstPage(client.catalog.versions({ limit: 1 }, { signal }));
      if (rows[0]?.version === known.version) return known;
    }
    const { data, etag } = await client.catalog.get({}, { signal }).withResponse();
    if (!('formatVersion' in Object(data))) throw notItemwright(connection);
    known = { document: data, version: Number(/\d+/.exec(etag ?? '')?.[0]) };
    return known;
  };
};

const textOf = (result: unknown): string => {
  const text = JSON.stringify(result);
  if (text.length > LIMITS.toolResultLength)
    throw new CommandError(
      `the result has ${formatCount(text.length)} characters, more than ${formatCount(LIMITS.toolResultLength)}: ask for less at once`,
    );
  return text;
};

const createServer = (connection: Connection): Server => {
  const client = connect(connection);
  const readCatalog = catalogReader(connection, client);
  const server = new Server(
    { name: 'itemwright', version: VERSION },
    { capabilities: { tools: {} }, instructions: INSTRUCTIONS },
  );
  server.setRequestHandler(ListToolsRequestSchema, () => ({ tools: TOOLS.map(listedTool) }));
  server.setRequestHandler(CallToolRequestSchema, async ({ params }, { signal }): Promise<CallToolResult> => {
    try {
      const tool = TOOLS.find(({ name }) => name === params.name);
      if (tool === undefined) throw new CommandError(`there is no tool ${params.name}`);
      const result = await tool.run({ client, signal, catalog: () => readCatalog(signal) }, params.arguments);
      return { content: [{ type: 'text', text: textOf(result) }] };
    } catch (error) {
      // Whoever made the mistake can make up for it, if they are told.
      const explained = explain(error, connection);
      if (!(explained instanceof CommandError)) throw error;
      return { isError: true, content: [{ type: 'text', text: explained.message }] };
    }
  });
  return server;
};

/** Serves one assistant until it closes its end. */
export const serveAssistant = async (
  connection: Connection,
  { stdin, stdout }: { stdin: Readable; stdout: Writable },
): Promise<void> => {
  const server = createServer(connection);
  const closed = new Promise<void>((resolve) => {
    server.onclose = resolve;
    for (const event of ['end', 'close', 'error']) stdin.once(event, resolve);
  });
  await server.connect(new StdioServerTransport(stdin, stdout));
  await closed;
  await server.close();
};
