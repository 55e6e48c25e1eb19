import { useItem } from '../../interface/queries.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { Page } from '../../parts/page.tsx';
import { usePathId } from '../../parts/path-id.ts';
import { EditorWithCatalog } from './editor-with-catalog.tsx';

export const ItemPage = () => {
  const id = usePathId();
  const item = useItem(id);
  return (
    <Page
      title={item.data?.name ?? 'Item'}
      about={item.data && `Id ${id}`}
      back={{ href: '/items', label: 'Items' }}
      curl={{ path: `/items/${encodeURIComponent(id)}` }}
    >
      <Loaded query={item} lines={8}>
        {(found) => <EditorWithCatalog item={found} />}
      </Loaded>
    </Page>
  );
};
