import { CommandError, type CommandSyntax } from './shared.ts';

/** A command that runs until it is stopped. */
export interface ServiceCommand extends CommandSyntax {
  run(): Promise<void>;
}

/** The most important settings. */
export const VARIABLES = {
  HOST: 'where to listen; 127.0.0.1 if not set',
  PORT: 'on which port; 8080 if not set',
  DATABASE_URL: 'sqlite:PATH or postgres://user:password@host/database',
  ITEMWRIGHT_TEAM_ID: 'the id of the first team, generated if not set',
  ITEMWRIGHT_SECRET: 'its secret, generated and printed once if not set',
  WORKERS: 'processes that share the port; more than one needs PostgreSQL',
  METRICS: 'on: Prometheus metrics at /metrics',
  LOG_LEVEL: 'info, warn, error or silent, among others',
} as const;

const serve: ServiceCommand = {
  summary: 'starts the service; the default if no command is given',
  help: [
    'The first start creates the database and a team, and prints a secret. SIGTERM or Ctrl-C stops the service.',
    'All settings are environment variables; the most important are:',
    '',
    ...Object.entries(VARIABLES).map(([name, meaning]) => `  ${name.padEnd(20)} ${meaning}`),
    '',
    'The README lists all of them.',
  ],
  examples: ['serve', 'PORT=9000 serve', 'DATABASE_URL=postgres://user:password@host/items serve'],
  // Loaded only if needed, as it is all of the service.
  run: async () => (await import('../serve.ts')).serve(),
};

const demo: ServiceCommand = {
  summary: 'starts a service with thirty days of sample data, which is gone when it stops',
  help: ['HOST and PORT say where; without PORT, it takes another port if 8080 is in use. DATABASE_URL is not used.'],
  examples: ['demo'],
  run: async () => {
    const { demonstrate } = await import('../demo/demo.ts');
    await demonstrate(process.env).catch((error: unknown) => {
      throw new CommandError(`cannot start the demo: ${error instanceof Error ? error.message : String(error)}`);
    });
  },
};

export const SERVICE_COMMANDS: Readonly<Record<string, ServiceCommand>> = { serve, demo };
