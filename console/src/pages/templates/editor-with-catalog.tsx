import { useState } from 'react';
import { useCatalogClassifiers, useCatalogItems, useOptions } from '../../catalog/reads.ts';
import type { Schemas } from '../../interface/client.ts';
import { AllLoaded } from '../../parts/loaded.tsx';
import { TemplateEditor } from './template-editor.tsx';
import type { TemplateType } from './template-values.ts';

/** The editor, once the catalog is loaded. */
export const EditorWithCatalog = ({ template, type }: { template?: Schemas['Template']; type: TemplateType }) => {
  const items = useCatalogItems();
  const classifiers = useCatalogClassifiers();
  const options = useOptions();
  /** Giving up what was entered starts the editor anew. */
  const [attempt, setAttempt] = useState(0);
  return (
    <AllLoaded queries={[items, classifiers]} lines={8}>
      {({ rows }, _classifiers) => (
        <TemplateEditor
          key={`${attempt} ${type} ${template?.id ?? ''}`}
          template={template}
          type={type}
          items={rows}
          options={options}
          onDiscard={() => setAttempt(attempt + 1)}
        />
      )}
    </AllLoaded>
  );
};
