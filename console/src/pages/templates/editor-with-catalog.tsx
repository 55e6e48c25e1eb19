import type { Schemas } from '../../interface/client.ts';
import { useClassifiers, useItems } from '../../interface/queries.ts';
import { useOptions } from '../../parts/catalog.ts';
import { Loaded } from '../../parts/loaded.tsx';
import { TemplateEditor } from './template-editor.tsx';
import type { TemplateType } from './template-values.ts';

/** The editor, once the catalog is loaded. */
export const EditorWithCatalog = ({ template, type }: { template?: Schemas['Template']; type: TemplateType }) => {
  const items = useItems();
  const classifiers = useClassifiers();
  const options = useOptions();
  return (
    <Loaded query={classifiers} lines={8}>
      {() => (
        <Loaded query={items} lines={8}>
          {({ rows }) => (
            <TemplateEditor
              key={`${type} ${template?.id ?? ''}`}
              template={template}
              type={type}
              items={rows}
              options={options}
            />
          )}
        </Loaded>
      )}
    </Loaded>
  );
};
