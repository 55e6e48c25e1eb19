import { useState } from 'react';
import { useCatalogAttributes, useCatalogClassifiers } from '../../catalog/reads.ts';
import type { Schemas } from '../../interface/client.ts';
import { AllLoaded } from '../../parts/loaded.tsx';
import { ItemEditor } from './item-editor.tsx';

/** The editor, once its choices are loaded. */
export const EditorWithCatalog = ({ item }: { item?: Schemas['Item'] }) => {
  const attributes = useCatalogAttributes();
  const classifiers = useCatalogClassifiers();
  /** Giving up what was entered starts the editor anew. */
  const [attempt, setAttempt] = useState(0);
  return (
    <AllLoaded queries={[attributes, classifiers]}>
      {(known, sorted) => (
        <ItemEditor
          key={`${attempt} ${item?.id ?? ''}`}
          item={item}
          attributes={known.rows}
          classifiers={sorted.rows}
          onDiscard={() => setAttempt(attempt + 1)}
        />
      )}
    </AllLoaded>
  );
};
