import type { Belonging, ItemView, Place } from '../server/api.ts';
import { h, setVariables } from './dom.ts';

export interface Size {
  readonly width: number;
  readonly height: number;
}

/** The cells that an item covers, turned or not. */
export const footprint = ({ width, height }: ItemView, rotated: boolean): Size =>
  rotated ? { width: height, height: width } : { width, height };

const position = ({ x, y, rotated }: Place): string => `column ${x + 1}, row ${y + 1}${rotated ? ', turned' : ''}`;

/** An item as a button that can be dragged, or picked up with the keyboard. */
export const itemButton = (item: ItemView): HTMLButtonElement =>
  h(
    'button',
    { class: `item ${item.rarity}`, type: 'button', 'aria-describedby': 'bag-help' },
    h('img', { src: item.picture, alt: '', draggable: 'false' }),
  );

/** Puts it where it belongs: at its cells, or in a row with others. */
export const showPlace = (button: HTMLButtonElement, item: ItemView, place: Place | null): void => {
  const rotated = place?.rotated ?? false;
  const { width, height } = footprint(item, rotated);
  setVariables(button, { x: place?.x ?? 0, y: place?.y ?? 0, width, height, w: item.width, h: item.height });
  button.classList.toggle('rotated', rotated);
  const where = place === null ? 'on the ground' : position(place);
  button.setAttribute('aria-label', `${item.name}, ${item.rarity}, ${width} by ${height}, ${where}`);
};

/** Whether anything lies where it would go. Only a hint while dragging: the server decides. */
export const hintAt = (
  place: Place,
  item: ItemView,
  id: string,
  belongings: readonly Belonging[],
  items: ReadonlyMap<string, ItemView>,
  bag: { readonly cols: number; readonly rows: number },
): 'free' | 'taken' | 'outside' => {
  const own = footprint(item, place.rotated);
  if (place.x + own.width > bag.cols || place.y + own.height > bag.rows) return 'outside';
  const isTaken = belongings.some((other) => {
    const kind = items.get(other.itemId);
    if (other.id === id || other.place === null || kind === undefined) return false;
    const size = footprint(kind, other.place.rotated);
    const { x, y } = other.place;
    return x < place.x + own.width && place.x < x + size.width && y < place.y + own.height && place.y < y + size.height;
  });
  return isTaken ? 'taken' : 'free';
};
