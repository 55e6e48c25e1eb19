import { DraftBadge, UnlessDeleted } from '../../catalog/marks.tsx';
import { useCatalogItem } from '../../catalog/reads.ts';
import { Copy } from '../../parts/copy.tsx';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { usePathId } from '../../parts/text.tsx';
import { ItemEditor } from './item-editor.tsx';

export const ItemPage = () => {
  const id = usePathId();
  const item = useCatalogItem(id);
  return (
    <Page
      title={item.data?.name ?? 'Item'}
      back={{ href: '/items', label: 'Items' }}
      curl={{ path: `/items/${encodeURIComponent(id)}` }}
      actions={
        <>
          <DraftBadge kind="item" id={id} />
          <Copy text={id} label="Copy id" />
        </>
      }
    >
      <UnlessDeleted kind="item" id={id}>
        <Loaded query={item} lines={8}>
          {(found) => <ItemEditor item={found} />}
        </Loaded>
      </UnlessDeleted>
    </Page>
  );
};
