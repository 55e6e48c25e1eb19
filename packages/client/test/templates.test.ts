import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEveryDatabase } from '../../../test/harness.ts';
import { createClient, type Template, type TemplateEntity } from '../src/index.ts';

/** Compiles only if the type of a template tells what its configuration has. */
const perRollOf = (template: Template | TemplateEntity): number | string | undefined => {
  // @ts-expect-error Only idle templates have it.
  template.config.rollsPerHour;
  switch (template.type) {
    case 'gacha':
      // @ts-expect-error Only packs have slots.
      template.config.slots;
      return template.config.pityTier;
    case 'card_pack':
      return template.config.slots?.length;
    case 'roguelike':
      // @ts-expect-error Offers have no tiers of pity.
      template.config.pities;
      return template.config.choices;
    case 'idle': {
      // Always there, so it needs no check.
      const { rollsPerHour }: { rollsPerHour: number } = template.config;
      return rollsPerHour;
    }
    default: {
      const none: never = template;
      return none;
    }
  }
};

onEveryDatabase('the client', (service) => {
  test('knows the configuration of a template by its type', async () => {
    const { address: url, teamId, secret } = service();
    const client = createClient({ url, teamId, secret });
    const rarity = await client.classifiers.create({ name: 'Rarity', classifierOptions: [{ name: 'rare' }] });
    const classifierOptionIds = rarity.classifierOptions.map(({ id }) => id);
    await client.items.create({ id: 'sword', name: 'Sword', classifierOptionIds });
    const baseRates = { rare: 1 };
    await client.templates.create({ name: 'a', type: 'gacha', config: { baseRates, pityTier: 'rare' } });
    await client.templates.create({
      name: 'b',
      type: 'card_pack',
      config: { baseRates, slots: [{ count: 1 }, { count: 1 }] },
    });
    await client.templates.create({ name: 'c', type: 'roguelike', config: { baseRates, choices: 1 } });
    await client.templates.create({ name: 'd', type: 'idle', config: { baseRates, rollsPerHour: 5 } });
    const found = (await client.templates.list().all()).map(perRollOf);
    assert.deepEqual(found, ['rare', 2, 1, 5]);
    const { templates } = await client.catalog.get();
    assert.deepEqual(templates.map(perRollOf).sort(), [...found].sort());
  });
});
