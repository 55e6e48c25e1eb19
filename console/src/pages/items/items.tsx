import { Button } from '@mantine/core';
import { IconSword } from '@tabler/icons-react';
import { useState } from 'react';
import { useActiveDraft } from '../../catalog/draft.ts';
import { ListPage } from '../../catalog/list-page.tsx';
import {
  useCatalogAttributes,
  useCatalogClassifiers,
  useCatalogItemOdds,
  useCatalogItems,
} from '../../catalog/reads.ts';
import { NewButton } from '../../parts/buttons.tsx';
import { ImportDialog } from './import-dialog.tsx';
import { ItemTable } from './item-table.tsx';
export const Items = () => {
  const items = useCatalogItems();
  const odds = useCatalogItemOdds();
  const isDraft = useActiveDraft() !== undefined;
  const [isImporting, setImporting] = useState(false);
  const [classifiers, attributes] = [useCatalogClassifiers(), useCatalogAttributes()];
  return (
    <ListPage
      kind="item"
      about={`Odds of a plain roll over all items${isDraft ? ', once the draft is published' : ''}.`}
      create={<NewButton href="/new-item">New item</NewButton>}
      icon={IconSword}
      none={
        <>
          An item has a name, a weight and ranges for its attributes. Create the first one, or{' '}
          <Button variant="transparent" size="compact-sm" p={0} onClick={() => setImporting(true)}>
            paste a spreadsheet
          </Button>
          .
        </>
      }
      queries={[items, odds]}
      lines={8}
      dialog={
        isImporting && (
          <ImportDialog
            items={items.data?.rows ?? []}
            classifiers={classifiers.data?.rows ?? []}
            attributes={attributes.data?.rows ?? []}
            onClose={() => setImporting(false)}
          />
        )
      }
    >
      {(list, rows) => <ItemTable items={list} odds={rows} />}
    </ListPage>
  );
};
