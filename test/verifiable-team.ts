import type { Client, Service } from './harness.ts';
import { assertDone } from './rules.ts';

const baseRates = { five: 0.1, three: 0.9 };
const gacha = { baseRates, pityTier: 'five', pityThreshold: 10 };

/** The configuration of its banner, without its pity group. */
export const BANNER_CONFIG = {
  ...gacha,
  featuredItemIds: ['sword'],
  featuredShare: 0.5,
  guaranteeAfterLosses: 1,
  sparkCurrency: 5,
};

/** Another team, all of whose rolls are verifiable, with every kind of template; two banners share their pity. */
export const startVerifiableTeam = async (service: Service): Promise<Client> => {
  const team = await service.anotherTeam();
  const classifierOptions = ['five', 'three'].map((name) => ({ id: name, name }));
  const classifier = { id: 'stars', name: 'Stars', classifierOptions };
  const changes = [{ kind: 'classifier', id: 'stars', after: classifier }];
  assertDone(await team.post('/catalog/publish', { baseVersion: 0, changes }));
  assertDone(await team.post('/attributes', { id: 'power', name: 'Power', min: 0, max: 100, step: 0.1 }));
  for (const id of ['sword', 'axe', 'club', 'cap', 'rope', 'torch']) {
    const itemAttributes = id < 'c' || id === 'sword' ? [{ attributeId: 'power', min: 40, max: 50 }] : [];
    const option = ['sword', 'axe'].includes(id) ? 'five' : 'three';
    assertDone(await team.post('/items', { id, name: `The ${id}`, classifierOptionIds: [option], itemAttributes }));
  }
  for (const [id, type, config] of [
    ['banner', 'gacha', { ...BANNER_CONFIG, pityGroup: 'g' }],
    ['second', 'gacha', { ...gacha, pityGroup: 'g' }],
    ['pack', 'card_pack', { baseRates, slots: [{ count: 3 }], unique: true, pityThreshold: 4 }],
    ['shrine', 'roguelike', { baseRates, choices: 2, depthScaling: { five: 1.2 } }],
    ['chest', 'idle', { baseRates, rollsPerHour: 10 }],
  ] as const)
    assertDone(await team.post('/templates', { id, name: id, type, config, verifiable: true }));
  assertDone(await team.put('/team', { verifiableRolls: true }));
  return team;
};

/** Begins a player's next epoch; returns what the service says of it. */
export const rotateTo = async (team: Client, userId: string, clientSeed: string) => {
  const { nextCommitment: commitment, nextManifest: manifest } = assertDone(
    await team.post(`/users/${userId}/fairness`),
  ).body;
  return assertDone(await team.post(`/users/${userId}/fairness/rotate`, { clientSeed, commitment, manifest })).body;
};
