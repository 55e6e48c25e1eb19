import { IconCards, IconHourglass, IconSparkles, IconStairs, type TablerIcon } from '@tabler/icons-react';
import type { TemplateType } from './template-values.ts';

interface System {
  readonly name: string;
  readonly about: string;
  readonly icon: TablerIcon;
  /** What one roll is called. */
  readonly roll: string;
  readonly oneRoll: string;
  readonly rolls: string;
}

const rollsAre = (roll: string, article = 'a') => ({ roll, oneRoll: `${article} ${roll}`, rolls: `${roll}s` });

export const SYSTEMS: Record<TemplateType, System> = {
  gacha: {
    name: 'Gacha banner',
    about: 'One roll picks a tier, then an item. Pity, soft pity, featured items and spark.',
    icon: IconSparkles,
    ...rollsAre('roll'),
  },
  card_pack: {
    name: 'Card pack',
    about: 'One roll opens a pack of several slots, each with its own rates.',
    icon: IconCards,
    ...rollsAre('pack'),
  },
  roguelike: {
    name: 'Roguelike offer',
    about: 'One roll offers a few different items to choose from; rates change with depth.',
    icon: IconStairs,
    ...rollsAre('offer', 'an'),
  },
  idle: {
    name: 'Idle rewards',
    about: 'Rolls accrue over time and are claimed together.',
    icon: IconHourglass,
    ...rollsAre('roll'),
  },
};

export const SYSTEM_TYPES = Object.keys(SYSTEMS) as TemplateType[];
