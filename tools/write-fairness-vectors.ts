/**
 * `node tools/write-fairness-vectors.ts`: writes `test/fixtures/fairness-vectors.json`, the published vectors of
 * verifiable rolls. They change only with the protocol; `docs/reference/proof-format.md` says what is in them.
 */
import { writeFileSync } from 'node:fs';
import { bytesOfHex, hexOf } from '../src/engine/fairness/bytes.ts';
import { drawsMessage, verifiableDraws } from '../src/engine/fairness/draws.ts';
import { commitmentTo } from '../src/engine/fairness/links.ts';
import { type AnyReceipt, receiptText } from '../src/engine/fairness/receipts.ts';
import { hmacSha256 } from '../src/engine/fairness/sha256.ts';
import type { CatalogItem } from '../src/engine/pool/catalog.ts';
import { item, option } from '../test/catalogs.ts';
import { hashOfReceipt, playHistory, type TestTemplate } from '../test/fairness.ts';

const HOUR_MS = 3_600_000;
const SEED_BYTES = 32;

/** The bytes 00 to 1f for epoch 0, 20 to 3f for epoch 1, and so on. */
const seedOf = (epoch: number): string =>
  hexOf(Uint8Array.from({ length: SEED_BYTES }, (_, index) => SEED_BYTES * epoch + index));

const power = { id: 'dawnblade-power', attributeId: 'power', min: 40, max: 60, step: null };
const thing = (id: string, tier: string, attributes: CatalogItem['attributes'] = []): CatalogItem => ({
  ...item(id, [tier], 100, attributes),
  name: id,
});
const items = [
  ...['cap', 'club', 'torch'].map((id) => thing(id, 'three')),
  ...['ironwill', 'moonbow'].map((id) => thing(id, 'four')),
  thing('dawnblade', 'five', [power]),
  thing('duskblade', 'five'),
  thing('secret', 'unused'),
];
const rates = { five: 0.006, four: 0.051, three: 0.943 };
const templates: TestTemplate[] = [
  {
    id: 'b',
    type: 'gacha',
    config: {
      baseRates: rates,
      pityThreshold: 90,
      softPity: [{ from: 74, add: 0.06 }],
      featuredItemIds: ['dawnblade'],
      featuredShare: 0.5,
      guaranteeAfterLosses: 1,
      pityGroup: 'g',
      sparkCurrency: 10,
    },
  },
  { id: 'second', type: 'gacha', config: { baseRates: rates, pityThreshold: 90, pityGroup: 'g' } },
  {
    id: 'pack',
    type: 'card_pack',
    config: {
      baseRates: { five: 0.05, four: 0.15, three: 0.8 },
      pityThreshold: 10,
      slots: [{ count: 2 }, { count: 1, rates: { five: 0.1, four: 0.9 } }],
      unique: true,
    },
  },
  {
    id: 'shrine',
    type: 'roguelike',
    config: { baseRates: { five: 0.05, four: 0.25, three: 0.7 }, choices: 3, depthScaling: { five: 1.15 } },
  },
  { id: 'chest', type: 'idle', config: { baseRates: rates, pityThreshold: 90, rollsPerHour: 4, maxHours: 12 } },
];

const player = { teamId: 't1', userId: 'p1' };
const CLIENT_SEED = 'lucky ☘';
const history = playHistory({
  options: ['five', 'four', 'three', 'unused'].map((id) => option(id)),
  ...{ items, templates, seedOf, player, startsAtMs: Date.UTC(2027, 2, 1, 10) },
});

history.rotate(CLIENT_SEED);
history.roll('b', { count: 1 });
history.roll('');
history.roll('', { classifierOptionIds: ['four', 'three'] });
history.roll('pack', { count: 3 });
history.roll('shrine', { count: 2, depth: 7 });
history.roll('chest');
history.wait(5 * HOUR_MS);
history.roll('chest');
history.rotate('another');
for (let call = 0; call < 20; call += 1) history.roll(call % 3 === 0 ? 'second' : 'b', { count: 10 });
history.spark('b', 'dawnblade');
history.roll('b', { count: 100 });
history.rotate('third');
history.roll('b', { count: 1 });

const proof = history.proof();
const [, receipt] = proof.receipts as [AnyReceipt, AnyReceipt];
const serverSeed = bytesOfHex(seedOf(0));
const source = { ...player, serverSeed, clientSeed: CLIENT_SEED, nonce: 0 };
const { draws } = verifiableDraws(source);
const vectors = {
  commitments: [commitmentTo(seedOf(0))],
  serverSeed: seedOf(0),
  blocks: [0, 1].map((block) => {
    const message = drawsMessage(source, block);
    return {
      message: hexOf(message),
      hmac: hexOf(hmacSha256(serverSeed, message)),
      draws: [draws(), draws(), draws(), draws()],
    };
  }),
  receipt,
  receiptCanonical: receiptText(receipt),
  receiptHash: hashOfReceipt(receipt as never),
  held: proof.receipts.map(hashOfReceipt),
  proof,
};
writeFileSync(
  new URL('../test/fixtures/fairness-vectors.json', import.meta.url),
  `${JSON.stringify(vectors, null, 2)}\n`,
);
