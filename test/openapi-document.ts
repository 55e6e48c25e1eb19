import { openApiDocument } from '../src/http/openapi.ts';
import { createEmptyDatabase, startService } from './harness.ts';

/** The OpenAPI document as it is committed. */
export const describeInterface = async (): Promise<string> => {
  const empty = await createEmptyDatabase('sqlite');
  const service = await startService(empty.url);
  try {
    return `${JSON.stringify(openApiDocument(service.app), null, 2)}\n`;
  } finally {
    await service.stop();
    await empty.drop();
  }
};
