import { entityOf } from '../../catalog/entities.ts';
import { useCatalogChange } from '../../catalog/use-catalog-change.ts';
import type { Schemas } from '../../interface/client.ts';
import { usePermissions } from '../../interface/queries.ts';
import { RowMenu } from '../../parts/row-menu.tsx';
import { historyPath } from '../history/history-filter.ts';

export const AttributeMenu = ({ attribute, onEdit }: { attribute: Schemas['Attribute']; onEdit: () => void }) => {
  const remove = useCatalogChange({
    kind: 'attribute',
    edit: () => ({ before: entityOf('attribute', attribute), after: null }),
    done: () => `${attribute.name} deleted`,
    failed: 'Could not delete',
  });
  const { canDesign } = usePermissions();
  return (
    <RowMenu
      of={attribute.name}
      history={historyPath({ kind: 'attribute', id: attribute.id })}
      onEdit={canDesign ? onEdit : undefined}
      onDelete={canDesign ? () => remove.mutate(undefined) : undefined}
    />
  );
};
