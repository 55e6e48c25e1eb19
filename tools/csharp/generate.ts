/**
 * Generates the parts of the C# client that depend on the API. The usual generators need a runtime or a JSON library that
 * Unity lacks, and know nothing of keys, pages and retries.
 */
import type { Document } from '../api-types.ts';
import { classesOf, modelsText } from './models.ts';
import { operationsText } from './operations.ts';

/** The text of each generated file, by its path in `packages/csharp`. */
export const generateCsharp = (document: Document, version: string): Readonly<Record<string, string>> => {
  const classes = classesOf(document);
  // First, since responses of operations can be classes of their own.
  const operations = operationsText(document, version, classes);
  return { 'Runtime/Generated/Models.cs': modelsText(classes), 'Runtime/Generated/Operations.cs': operations };
};
