import { Page } from '../../parts/page.tsx';
import { EditorWithCatalog } from './editor-with-catalog.tsx';

export const NewItem = () => (
  <Page
    title="New item"
    back={{ href: '/items', label: 'Items' }}
    curl={{ method: 'POST', path: '/items', body: { name: 'Sword of Dawn', rollNumerator: 100 } }}
  >
    <EditorWithCatalog />
  </Page>
);
