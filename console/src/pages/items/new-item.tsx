import { Page } from '../../parts/page.tsx';
import { ItemEditor } from './item-editor.tsx';

export const NewItem = () => (
  <Page
    title="New item"
    back={{ href: '/items', label: 'Items' }}
    curl={{ method: 'POST', path: '/items', body: { name: 'Sword of Dawn', rollNumerator: 100 } }}
  >
    <ItemEditor />
  </Page>
);
