import { type Static, type TObject, type TProperties, Type } from 'typebox';
import type { Client, List } from '../../../packages/client/src/index.ts';
import { compileShape } from '../../shared/shape.ts';
import type { CatalogDocument } from '../catalog/api.ts';
import { CommandError } from '../shared.ts';

/** The calls that tools may make. None of them publishes or deletes anything. */
export interface SafeClient {
  readonly catalog: Pick<Client['catalog'], 'get' | 'plan' | 'version' | 'versions'>;
  readonly catalogDrafts: Pick<Client['catalogDrafts'], 'create' | 'get' | 'list' | 'update'>;
  readonly items: Pick<Client['items'], 'odds'>;
  readonly templates: Pick<Client['templates'], 'odds' | 'previewOdds' | 'simulate'>;
}

/** What a tool works with. Nothing else reaches the service. */
export interface Workshop {
  readonly client: SafeClient;
  /** The current catalog. */
  catalog(): Promise<{ readonly document: CatalogDocument; readonly version: number }>;
  /** Aborted if the assistant no longer waits for the result. */
  readonly signal: AbortSignal;
}

/** Something that an assistant can do. */
export interface Tool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: object;
  /** Whether it changes anything, and if so, whether something may be lost. */
  readonly effect: 'none' | 'adds' | 'replaces';
  /** Returns what is told to the assistant as JSON. */
  run(workshop: Workshop, given: unknown): Promise<unknown>;
}

interface Definition<P extends TProperties> extends Omit<Tool, 'inputSchema' | 'run' | 'effect'> {
  readonly input: P;
  readonly effect?: Tool['effect'];
  run(workshop: Workshop, given: Static<TObject<P>>): Promise<unknown>;
}

/** A tool whose input is checked before it runs. */
export const defineTool = <P extends TProperties>({ input, effect = 'none', run, ...rest }: Definition<P>): Tool => {
  const inputSchema = Type.Object(input, { additionalProperties: false });
  const issuesOf = compileShape(inputSchema);
  return {
    ...rest,
    effect,
    inputSchema,
    run: async (workshop, given = {}) => {
      const issues = issuesOf(given, '');
      if (issues.length > 0)
        throw new CommandError(issues.map(({ path, message }) => `${path || 'the input'} ${message}`).join('\n'));
      return run(workshop, given as Static<TObject<P>>);
    },
  };
};

/** The first page of a list. */
export const firstPage = async <T>(list: List<T>): Promise<{ readonly rows: readonly T[] }> => {
  for await (const page of list.pages()) return page;
  return { rows: [] };
};
