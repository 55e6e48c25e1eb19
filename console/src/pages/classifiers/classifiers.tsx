import { Button, SimpleGrid } from '@mantine/core';
import { IconPlus, IconTags } from '@tabler/icons-react';
import { useState } from 'react';
import { DeletedInDraft } from '../../catalog/marks.tsx';
import { useCatalogClassifiers, useCatalogItems } from '../../catalog/reads.ts';
import { usePermissions } from '../../interface/queries.ts';
import { Empty } from '../../parts/empty.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { ClassifierCard } from './classifier-card.tsx';
import { NewClassifier } from './new-classifier.tsx';

export const Classifiers = () => {
  const classifiers = useCatalogClassifiers();
  const items = useCatalogItems();
  const { canDesign } = usePermissions();
  const [isCreating, setCreating] = useState(false);
  const create = canDesign && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setCreating(true)}>
      New classifier
    </Button>
  );
  return (
    <Page
      title="Classifiers"
      about="Ways to sort items, such as rarity. The multiplier of an option multiplies the weight of every item that has it. Changes are saved when you leave a field."
      curl={{ path: '/classifiers' }}
      actions={create}
    >
      <Loaded query={classifiers}>
        {({ rows }) =>
          rows.length === 0 ? (
            <Empty title="No classifiers yet" icon={IconTags} action={create}>
              Most games start with rarity: common ×1, rare ×0.1, legendary ×0.01.
            </Empty>
          ) : (
            <Loaded query={items}>
              {(list) => (
                <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
                  {rows.map((classifier) => (
                    <ClassifierCard key={classifier.id} classifier={classifier} items={list.rows} />
                  ))}
                </SimpleGrid>
              )}
            </Loaded>
          )
        }
      </Loaded>
      <DeletedInDraft kind="classifier" />
      {isCreating && <NewClassifier onClose={() => setCreating(false)} />}
    </Page>
  );
};
