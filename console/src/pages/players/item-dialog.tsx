import { ReasonDialog } from '../../parts/reason-dialog.tsx';
import type { Instance } from './bag-grid.ts';
import { TradeItem, TransferItem } from './hand-over.tsx';

/** What support can do to an item, each in a dialog that asks for a reason. */
export type ItemAct = 'remove' | 'transfer' | 'trade' | 'lock';

interface ItemDialogProps {
  readonly instance: Instance;
  readonly act: ItemAct;
  readonly onClose: () => void;
  /** The player no longer has it. */
  readonly onRemoved: () => void;
}

export const ItemDialog = ({ instance, act, onClose, onRemoved }: ItemDialogProps) => {
  const { id, item, locked = false } = instance;
  if (act === 'transfer') return <TransferItem instance={instance} onClose={onClose} />;
  if (act === 'trade') return <TradeItem instance={instance} onClose={onClose} />;
  if (act === 'remove')
    return (
      <ReasonDialog
        title={`Remove ${item.name}?`}
        text="The player loses it. Its history is kept, and it can be restored for 30 days."
        action="Remove item"
        isHarmful
        done={`${item.name} removed`}
        run={(api, options) => api.itemInstances.delete(id, options)}
        onDone={onRemoved}
        onClose={onClose}
      />
    );
  return (
    <ReasonDialog
      title={`${locked ? 'Unlock' : 'Lock'} ${item.name}`}
      text={
        locked
          ? 'It can be moved, transferred and removed again.'
          : 'It cannot be moved, transferred or removed until it is unlocked.'
      }
      action={locked ? 'Unlock item' : 'Lock item'}
      done={`${item.name} ${locked ? 'unlocked' : 'locked'}`}
      run={(api, options) => api.itemInstances.update(id, { locked: !locked }, options)}
      onClose={onClose}
    />
  );
};
