import { SimpleGrid } from '@mantine/core';
import { IconTags } from '@tabler/icons-react';
import { useState } from 'react';
import { DeletedInDraft } from '../../catalog/marks.tsx';
import { useCatalogClassifiers, useCatalogItems } from '../../catalog/reads.ts';
import { usePermissions } from '../../interface/queries.ts';
import { NewButton } from '../../parts/buttons.tsx';
import { AllLoaded, Empty } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { ClassifierCard } from './classifier-card.tsx';
import { NewClassifier } from './new-classifier.tsx';

export const Classifiers = () => {
  const classifiers = useCatalogClassifiers();
  const items = useCatalogItems();
  const { canDesign } = usePermissions();
  const [isCreating, setCreating] = useState(false);
  const create = canDesign && <NewButton onClick={() => setCreating(true)}>New classifier</NewButton>;
  const empty = (
    <Empty title="No classifiers yet" icon={IconTags} action={create}>
      Most games start with rarity: common ×1, rare ×0.1, legendary ×0.01.
    </Empty>
  );
  return (
    <Page
      title="Classifiers"
      about="Ways to sort items, such as rarity. The multiplier of an option multiplies the weight of every item that has it. Changes are saved when you leave a field."
      curl={{ path: '/classifiers' }}
      actions={create}
    >
      <AllLoaded queries={[classifiers, items]} empty={empty}>
        {({ rows }, known) => (
          <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
            {rows.map((classifier) => (
              <ClassifierCard key={classifier.id} classifier={classifier} items={known.rows} />
            ))}
          </SimpleGrid>
        )}
      </AllLoaded>
      <DeletedInDraft kind="classifier" />
      {isCreating && <NewClassifier onClose={() => setCreating(false)} />}
    </Page>
  );
};
