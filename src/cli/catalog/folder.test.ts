import assert from 'node:assert/strict';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, test } from 'node:test';
import { Ajv } from 'ajv';
import type { CatalogDocument, Template } from './api.ts';
import { folderFiles, readFolder, writeFolder } from './folder.ts';

const template = (id: string): Template => ({ id, name: `The ${id}`, type: 'gacha', config: {}, bindings: {} });

const DOCUMENT: CatalogDocument = {
  formatVersion: 1,
  attributes: [{ id: 'power', name: 'Power', min: 0, max: 1e300, step: null }],
  classifiers: [],
  spaces: [{ id: 'bag', name: 'Bag "ü"', cols: 2, rows: 3 }],
  items: [],
  templates: [template('Dawn'), template('a:b'), template('dawn')],
};

describe('a folder', () => {
  let folder: string;
  const pull = (document: CatalogDocument) => writeFolder(folder, folderFiles(document));
  const read = (merge = false) => readFolder(folder, { merge });
  const path = (...names: string[]): string => join(folder, ...names);

  beforeEach(async () => {
    folder = join(await mkdtemp(join(tmpdir(), 'itemwright-folder-')), 'catalog');
  });
  afterEach(() => rm(join(folder, '..'), { recursive: true, force: true }));

  test('holds a whole catalog, and is read as it was written', async () => {
    assert.deepEqual(await pull(DOCUMENT), { written: 8, removed: 0, unchanged: 0, foreign: [] });
    assert.deepEqual((await readdir(folder)).sort(), [
      ...['attributes.json', 'catalog.schema.json', 'classifiers.json', 'items.json', 'spaces.json', 'templates'],
    ]);
    assert.deepEqual((await readdir(path('templates'))).sort(), ['%44awn.json', 'a%3Ab.json', 'dawn.json']);
    const none = '{\n  "$schema": "./catalog.schema.json",\n  "classifiers": []\n}\n';
    assert.equal(await readFile(path('classifiers.json'), 'utf8'), none);
    assert.equal(
      await readFile(path('spaces.json'), 'utf8'),
      '{\n  "$schema": "./catalog.schema.json",\n  "spaces": [\n    {\n      "id": "bag",\n      "name": "Bag \\"ü\\"",\n      "cols": 2,\n      "rows": 3\n    }\n  ]\n}\n',
    );
    const { templates, ...lists } = await read();
    assert.deepEqual({ ...lists, templates: [] }, { ...DOCUMENT, templates: [] });
    assert.deepEqual(new Set(templates?.map(({ id }) => id)), new Set(DOCUMENT.templates.map(({ id }) => id)));
  });

  test('is read as releases before 0.3.0 wrote it', async () => {
    await pull(DOCUMENT);
    await writeFile(path('spaces.json'), JSON.stringify(DOCUMENT.spaces));
    await writeFile(path('templates/dawn.json'), JSON.stringify(template('dawn')));
    await rm(path('catalog.schema.json'));
    const { spaces, templates } = await read();
    assert.deepEqual([spaces, templates?.find(({ id }) => id === 'dawn')], [DOCUMENT.spaces, template('dawn')]);
  });

  test('has names in the place of generated ids, where only one thing has the name', async () => {
    const id = (digit: number) => `019a8f3e-7c21-7d4a-9b11-00000000000${digit}`;
    const option = (digit: number, name: string) => ({ id: id(digit), name, dropRateMultiplier: null });
    const classifierOptions = [option(1, 'Rare'), option(2, 'Red'), option(3, 'Red'), option(4, 'own')];
    const own = { id: 'own', name: 'Own', dropRateMultiplier: null };
    const item = { id: 'sword', name: 'Sword', thumbnail: null, rollNumerator: 1, width: 1, height: 1 };
    await pull({
      ...DOCUMENT,
      attributes: [{ id: id(5), name: 'Damage', min: 0, max: 9, step: null }],
      classifiers: [{ id: 'rarity', name: 'Rarity', classifierOptions: [...classifierOptions, own] }],
      items: [
        {
          ...item,
          classifierOptionIds: [id(1), id(2), id(3), id(4), 'own', id(9)],
          itemAttributes: [{ id: id(6), attributeId: id(5), min: 1, max: 2 }],
        },
      ],
    });
    const [read1] = (await read()).items ?? [];
    assert.deepEqual(read1?.classifierOptionIds, ['Rare', id(2), id(3), id(4), 'own', id(9)]);
    assert.deepEqual(read1?.itemAttributes, [{ id: id(6), attributeId: 'Damage', min: 1, max: 2 }]);
  });

  test('has a schema that its files keep', async () => {
    await pull(DOCUMENT);
    const json = async (name: string) => JSON.parse(await readFile(path(name), 'utf8'));
    const validate = new Ajv({ strict: false, formats: { 'date-time': true } }).compile(
      await json('catalog.schema.json'),
    );
    for (const name of ['attributes.json', 'spaces.json', 'items.json', 'templates/dawn.json'])
      assert.ok(validate(await json(name)), `${name}: ${JSON.stringify(validate.errors)}`);
    assert.ok(validate(DOCUMENT), JSON.stringify(validate.errors));
    const dawn = template('dawn');
    assert.ok(validate({ ...dawn, type: 'card_pack', config: { slots: [{ count: 1 }] } }));
    for (const wrong of [
      { ...dawn, config: { slots: [{ count: 1 }] } },
      { ...dawn, type: 'idle' },
      { ...dawn, nam: 'Dawn' },
      { items: [{ id: 'a' }] },
      { itemz: [] },
      { templates: [{ ...dawn, config: { pityThreshold: 'ninety' } }] },
    ])
      assert.ok(!validate(wrong), JSON.stringify(wrong));
  });

  test('keeps files that are up to date, and loses those of templates that are gone', async () => {
    await pull(DOCUMENT);
    const kept = ['items.json', 'spaces.json', 'templates/dawn.json'];
    const timesOf = () => Promise.all(kept.map(async (name) => (await stat(path(name), { bigint: true })).mtimeNs));
    const times = await timesOf();
    await writeFile(path('README.md'), 'Ours');
    await writeFile(path('templates', 'notes.txt'), 'Ours, too');
    const next = { ...DOCUMENT, attributes: [], templates: [template('a:b'), template('dawn')] };
    assert.deepEqual(await pull(next), { written: 1, removed: 1, unchanged: 6, foreign: [] });
    assert.deepEqual(await timesOf(), times);
    assert.deepEqual((await readdir(path('templates'))).sort(), ['a%3Ab.json', 'dawn.json', 'notes.txt']);
    assert.deepEqual(await pull(next), { written: 0, removed: 0, unchanged: 7, foreign: [] });
    assert.equal(await readFile(path('README.md'), 'utf8'), 'Ours');
  });

  test('keeps files among the templates that are none', async () => {
    await pull(DOCUMENT);
    await writeFile(path('templates', 'mail.json'), '{"subject":"Welcome"}');
    await writeFile(path('templates', 'broken.json'), '<<<<<<< HEAD');
    const { foreign } = await pull(DOCUMENT);
    assert.deepEqual(foreign, ['templates/broken.json', 'templates/mail.json']);
    await assert.rejects(read(), /broken\.json is not valid JSON/);
  });

  test('replaces a file whose name differs in case only', async () => {
    await pull({ ...DOCUMENT, templates: [template('dawn')] });
    await pull({ ...DOCUMENT, templates: [template('Dawn')] });
    assert.deepEqual(await readdir(path('templates')), ['Dawn.json']);
  });

  test('is not read if a pull was interrupted, until the next one', async () => {
    await pull(DOCUMENT);
    await mkdir(path('.pull-staging', 'templates'), { recursive: true });
    await writeFile(path('.pull-staging', 'items.json'), '[');
    await writeFile(path('.pull-incomplete'), '');
    await assert.rejects(read(), /the last pull into .* was interrupted/);
    await pull(DOCUMENT);
    assert.equal((await read()).spaces?.length, 1);
    assert.ok(!(await readdir(folder)).some((name) => name.startsWith('.')));
  });

  test('must have every file, unless it is merged', async () => {
    await pull(DOCUMENT);
    await rm(path('items.json'));
    await assert.rejects(read(), /items\.json is missing; use --merge/);
    const merged = await read(true);
    assert.equal(merged.merge, true);
    assert.ok(!('items' in merged));
  });

  test('without templates needs no directory for them', async () => {
    await pull({ ...DOCUMENT, templates: [] });
    assert.ok(!(await readdir(folder)).includes('templates'));
    assert.deepEqual((await read()).templates, []);
  });

  test('is not merged if it has nothing of a catalog', async () => {
    await mkdir(folder);
    await assert.rejects(read(true), /has no files of a catalog/);
  });

  test('has each template in the file that is named after it', async () => {
    await pull(DOCUMENT);
    await writeFile(path('templates', 'copy.json'), JSON.stringify(template('dawn')));
    await assert.rejects(read(), /copy\.json has the template with the id dawn: rename the file to dawn\.json/);
    await rename(path('templates', 'copy.json'), path('templates', '%64awn.json'));
    await assert.rejects(read(), /%64awn\.json and dawn\.json in .* have the same template, dawn/);
  });

  for (const [what, name, text, message] of [
    [
      'an object without its list',
      'items.json',
      '{ "item": [] }',
      /items\.json must be an object with the list "items"/,
    ],
    ['more than a list', 'items.json', '{ "items": [], "spaces": [] }', /items\.json must be an object with the list/],
    ['a word in the place of a list', 'items.json', '"items"', /items\.json must be an object with the list/],
    ['a syntax error', 'items.json', '[\n  {,\n]', /items\.json is not valid JSON: .*line 2/],
    ['a template without an id', 'templates/x.json', '{}', /x\.json must be a template with an id/],
  ] as const)
    test(`is refused with ${what}`, async () => {
      await pull(DOCUMENT);
      await writeFile(path(name), text);
      await assert.rejects(read(), message);
    });

  test('may have been saved with a byte order mark and other line breaks', async () => {
    await pull(DOCUMENT);
    const text = await readFile(path('spaces.json'), 'utf8');
    await writeFile(path('spaces.json'), `\ufeff${text.replaceAll('\n', '\r\n')}`);
    assert.deepEqual((await read()).spaces, DOCUMENT.spaces);
  });
});
