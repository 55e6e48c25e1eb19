import { readFileSync } from 'node:fs';
import { openApiDocument } from '../src/http/openapi.ts';
import { withCodeSamples } from '../tools/code-samples.ts';
import { type Example, fixedDraws, recordExamples } from './examples.ts';
import { createEmptyDatabase, type Engine, startService } from './harness.ts';

/** The committed OpenAPI document. */
export const describeApi = async (): Promise<string> => {
  const empty = await createEmptyDatabase('sqlite');
  const service = await startService(empty.url);
  try {
    return `${JSON.stringify(withCodeSamples(openApiDocument(service.app)), null, 2)}\n`;
  } finally {
    await service.stop();
    await empty.drop();
  }
};

/** The example of each operation, as a service responds now. */
export const currentExamples = async (engine: Engine): Promise<Record<string, Example>> => {
  const empty = await createEmptyDatabase(engine);
  const service = await startService(empty.url, {}, fixedDraws());
  try {
    return await recordExamples(service);
  } finally {
    await service.stop();
    await empty.drop();
  }
};

export const EXAMPLES_FILE = new URL('../src/http/openapi-examples.json', import.meta.url);

export const committedExamples = (): Record<string, Example> => JSON.parse(readFileSync(EXAMPLES_FILE, 'utf8'));
