import type { Connection } from '../catalog/connection.ts';
import type { Surroundings } from '../catalog/terminal.ts';
import type { CommandSyntax } from '../shared.ts';

/** A command that another program talks to over its standard input and output. */
export interface AssistantCommand extends CommandSyntax {
  run(connection: Connection, streams: Pick<Surroundings, 'stdin' | 'stdout'>): Promise<void>;
}

const mcp: AssistantCommand = {
  summary: "lets a designer's assistant read, simulate, plan and draft over the Model Context Protocol",
  help: [
    'An assistant starts it, and talks to it over standard input and output. It can read the catalog, odds and versions,',
    'simulate players, plan changes, and save them as drafts. It cannot publish, nor change a draft that is scheduled.',
    'With a secret of the role read it can neither simulate nor save drafts.',
  ],
  examples: ['mcp'],
  run: async (connection, streams) => {
    const { serveAssistant } = await import('./server.ts');
    await serveAssistant(connection, streams);
  },
};

export const ASSISTANT_COMMANDS: Readonly<Record<string, AssistantCommand>> = { mcp };
