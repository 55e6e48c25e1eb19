import { SimpleGrid } from '@mantine/core';
import { IconTags } from '@tabler/icons-react';
import { useState } from 'react';
import { ListPage } from '../../catalog/list-page.tsx';
import { useCatalogClassifiers, useCatalogItems } from '../../catalog/reads.ts';
import { NewButton } from '../../parts/buttons.tsx';
import { ClassifierCard } from './classifier-card.tsx';
import { NewClassifier } from './new-classifier.tsx';

export const Classifiers = () => {
  const classifiers = useCatalogClassifiers();
  const items = useCatalogItems();
  const [isCreating, setCreating] = useState(false);
  return (
    <ListPage
      kind="classifier"
      about="Ways to sort items, such as rarity. The multiplier of an option multiplies the weight of every item that has it. Changes are saved when you leave a field."
      create={<NewButton onClick={() => setCreating(true)}>New classifier</NewButton>}
      icon={IconTags}
      none="Most games start with rarity: common ×1, rare ×0.1, legendary ×0.01."
      queries={[classifiers, items]}
      dialog={isCreating && <NewClassifier onClose={() => setCreating(false)} />}
    >
      {({ rows }, _items) => (
        <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
          {rows.map((classifier) => (
            <ClassifierCard key={classifier.id} classifier={classifier} />
          ))}
        </SimpleGrid>
      )}
    </ListPage>
  );
};
