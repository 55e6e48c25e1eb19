import type { Schemas } from '../../interface/client.ts';
import { useAttributes, useClassifiers } from '../../interface/queries.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { ItemEditor } from './item-editor.tsx';

/** The editor, once its choices are loaded. */
export const EditorWithCatalog = ({ item }: { item?: Schemas['Item'] }) => {
  const attributes = useAttributes();
  const classifiers = useClassifiers();
  return (
    <Loaded query={attributes}>
      {(known) => (
        <Loaded query={classifiers}>
          {(sorted) => (
            <ItemEditor key={item?.id ?? ''} item={item} attributes={known.rows} classifiers={sorted.rows} />
          )}
        </Loaded>
      )}
    </Loaded>
  );
};
