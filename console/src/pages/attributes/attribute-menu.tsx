import { type Schemas, unwrap } from '../../interface/client.ts';
import { ifUnchanged } from '../../interface/if-unchanged.ts';
import { useChange } from '../../interface/use-change.ts';
import { confirmLoss } from '../../parts/confirm.tsx';
import { RowMenu } from '../../parts/row-menu.tsx';

export const AttributeMenu = ({ attribute, onEdit }: { attribute: Schemas['Attribute']; onEdit: () => void }) => {
  const remove = useChange({
    run: async (api, id: string) =>
      unwrap(
        api.DELETE('/attributes/{id}', {
          params: { path: { id } },
          ...(await ifUnchanged(api, 'attribute', attribute)),
        }),
      ),
    done: () => `${attribute.name} deleted`,
    failed: 'Could not delete',
  });
  return (
    <RowMenu
      of={attribute.name}
      onEdit={onEdit}
      onDelete={() =>
        confirmLoss({
          title: `Delete ${attribute.name}?`,
          text: 'This is not possible while an item uses it. It cannot be undone.',
          action: 'Delete attribute',
          run: () => remove.mutate(attribute.id),
        })
      }
    />
  );
};
