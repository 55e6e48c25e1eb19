import { Group, Stack, Text } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { explain, type Schemas } from '../../api/client.ts';
import { useOddsOfTemplates } from '../../api/requests.ts';
import { useLiveOptions } from '../../catalog/reads.ts';
import { optionIdsOf } from '../../parts/options.tsx';
import { pathTo, TextLink } from '../../parts/text.tsx';

interface Fault {
  readonly text: string;
  readonly href: string;
  readonly fix: string;
}

interface CatalogFaultsProps {
  readonly odds: readonly Schemas['ItemOdds'][];
  readonly templates: readonly Schemas['Template'][];
  readonly items: readonly Schemas['Item'][];
}

const MAX_SHOWN = 6;

const SOUND = ['Every item can drop.', 'Every tier has items.', 'Every template can be rolled.'].map((text) => ({
  text,
}));

/** Problems of the catalog, each with a link to fix it. */
export const CatalogFaults = ({ odds, templates, items }: CatalogFaultsProps) => {
  const options = useLiveOptions();
  const templateOdds = useOddsOfTemplates(templates.map(({ id }) => id));
  const faults: Fault[] = [];
  const add = (text: string, href: string, fix: string) => faults.push({ text, href, fix });

  if (items.length === 0) add('The catalog is empty, so nothing can be rolled.', '/new-item', 'Create an item');
  for (const { itemId, itemName, weight } of odds)
    if (weight === 0) add(`${itemName} can never drop: its weight is 0.`, pathTo('items', itemId), 'Change its weight');
  for (const [place, { error }] of templateOdds.entries()) {
    const template = templates[place];
    if (error !== null && template !== undefined)
      add(`${template.name} cannot be rolled. ${explain(error)}`, pathTo('templates', template.id), 'Fix the template');
  }
  const used = new Set(items.flatMap(optionIdsOf));
  for (const option of options.values())
    if (items.length > 0 && !used.has(option.id))
      add(
        `No item has the ${option.classifierName} ${option.name}, so it is an empty tier.`,
        '/items',
        'Add it to an item',
      );

  const sound = faults.length === 0;
  const Icon = sound ? IconCircleCheck : IconAlertTriangle;
  const points: readonly (Pick<Fault, 'text'> & Partial<Fault>)[] = sound ? SOUND : faults.slice(0, MAX_SHOWN);
  return (
    <Stack gap="md" component="ul" m={0} p={0} style={{ listStyle: 'none' }}>
      {points.map(({ text, href, fix }) => (
        <Group key={text} gap="sm" wrap="nowrap" align="flex-start" component="li">
          <Icon size={20} color={`var(--console-${sound ? 'more' : 'less'})`} style={{ flex: 'none' }} aria-hidden />
          <div>
            <Text size="sm">{text}</Text>
            {href !== undefined && <TextLink href={href}>{fix}</TextLink>}
          </div>
        </Group>
      ))}
      {faults.length > MAX_SHOWN && (
        <Text size="sm" c="dimmed" component="li">
          And {faults.length - MAX_SHOWN} more of the kind.
        </Text>
      )}
    </Stack>
  );
};
