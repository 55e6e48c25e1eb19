/** What generators make of the OpenAPI document: models in Python, which then read the examples of every operation. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { InputData, JSONSchemaInput, quicktype } from 'quicktype-core';

interface Document {
  readonly paths: Record<string, Record<string, Operation>>;
  readonly components: { readonly schemas: Record<string, object> };
}

interface Operation {
  readonly operationId: string;
  readonly responses: Record<string, { readonly content?: Record<string, Media> }>;
}

interface Media {
  readonly schema: { readonly $ref?: string; readonly items?: { readonly $ref?: string } };
  readonly example: unknown;
}

const document: Document = JSON.parse(await readFile(new URL('../../openapi.json', import.meta.url), 'utf8'));

/** A generator that knows JSON Schema, and many languages. */
const generate = async (lang: 'python'): Promise<string> => {
  const text = JSON.stringify(document.components.schemas).replaceAll('#/components/schemas/', '#/definitions/');
  const definitions: Record<string, object> = JSON.parse(text);
  const input = new JSONSchemaInput(undefined);
  for (const [name, schema] of Object.entries(definitions))
    await input.addSource({ name, schema: JSON.stringify({ ...schema, definitions }) });
  const inputData = new InputData();
  inputData.addInput(input);
  const { lines } = await quicktype({ inputData, lang });
  return lines.join('\n');
};

const nameIn = ($ref: string | undefined): string | undefined => $ref?.split('/').at(-1);

/** Example responses whose model has a name: one of it, or a list of them. */
const examples = Object.values(document.paths)
  .flatMap((methods) => Object.values(methods))
  .flatMap(({ operationId, responses }) => {
    const { schema, example } = responses[200]?.content?.['application/json'] ?? {};
    const model = nameIn(schema?.$ref ?? schema?.items?.$ref);
    return model === undefined ? [] : [{ operationId, model, values: [example].flat() }];
  });

const READ = `
import importlib, json, re, sys
sys.path.insert(0, sys.argv[1])
models = importlib.import_module('models')
for example in json.load(open(sys.argv[1] + '/examples.json')):
    model = getattr(models, example['model'])
    for value in example['values']:
        read = model.from_dict(value).to_dict()
        missing = {key for key in value if value[key] is not None} - set(read)
        assert not missing, (example['operationId'], missing)
    print(example['operationId'])
`;

const hasPython = spawnSync('python3', ['-c', 'import dateutil']).status === 0;

describe('models generated in Python', { skip: !hasPython && 'there is no python3 with dateutil here' }, () => {
  test('read the example response of every operation, and lose nothing of it', async () => {
    assert.ok(examples.length > 35);
    const folder = await mkdtemp(join(tmpdir(), 'itemwright-'));
    try {
      await writeFile(join(folder, 'models.py'), await generate('python'));
      await writeFile(join(folder, 'examples.json'), JSON.stringify(examples));
      await writeFile(join(folder, 'read.py'), READ);
      const { status, stdout, stderr } = spawnSync('python3', [join(folder, 'read.py'), folder], { encoding: 'utf8' });
      assert.equal(status, 0, stderr);
      assert.equal(stdout.trim().split('\n').length, examples.length);
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
