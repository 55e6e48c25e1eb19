import { List } from '@mantine/core';
import { Section } from '../../parts/section.tsx';
import { TextLink } from '../../parts/text.tsx';

const STEPS = [
  { href: '/attributes', label: 'Attributes', about: 'numbers that items carry, such as damage' },
  { href: '/classifiers', label: 'Classifiers', about: 'ways to sort items, such as rarity, with their multipliers' },
  {
    href: '/new-item',
    label: 'Items',
    about: 'with a weight, options and attribute ranges; the odds are shown as you type',
  },
  { href: '/templates', label: 'Templates', about: 'banners, packs, offers and idle rewards, with exact odds' },
  { href: '/roll-lab', label: 'Roll lab', about: 'try a roll and see what drops' },
];

/** What a new team does first. */
export const FirstSteps = () => (
  <Section title="First steps" about="Build your catalog in this order. Only items are required to roll." h="100%">
    <List type="ordered" spacing="xs" size="sm">
      {STEPS.map(({ href, label, about }) => (
        <List.Item key={href}>
          <TextLink href={href} fw={600} inherit>
            {label}
          </TextLink>
          : {about}
        </List.Item>
      ))}
    </List>
  </Section>
);
