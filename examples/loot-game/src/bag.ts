/** The bag: the page shows at once what the player wants, the server decides, and what it refuses goes back. */
import type { Belonging, ItemView, Place } from '../server/api.ts';
import { footprint, hintAt, itemButton, showPlace } from './bag-item.ts';
import { CallError, discard, discardPile, move, sortBag } from './calls.ts';
import { announce, byId, h, onClick, setVariables, toast } from './dom.ts';
import { onChange, refresh, type Shown } from './state.ts';

/** An item on its way, by pointer or keyboard. */
interface Carried {
  readonly belonging: Belonging;
  readonly item: ItemView;
  readonly button: HTMLButtonElement;
  place: Place;
}

const DRAG_STARTS_AT_PX = 6;
const START: Place = { x: 0, y: 0, rotated: false };

const buttons = new Map<string, HTMLButtonElement>();
const target = h('div', { class: 'target', hidden: true });
let shown: Shown | undefined;
let carried: Carried | undefined;
let selectedId: string | undefined;

const cellPx = (): number => byId('grid').clientWidth / (shown?.world.bag.cols ?? 1);

/** Shows where it would go. */
const aim = (place: Place): void => {
  if (carried === undefined || shown === undefined) return;
  carried.place = place;
  const { item, belonging } = carried;
  const hint = hintAt(place, item, belonging.id, shown.me.belongings, shown.items, shown.world.bag);
  target.className = `target ${hint}`;
  target.hidden = false;
  setVariables(target, { x: place.x, y: place.y, ...footprint(item, place.rotated) });
};

const letGo = (): void => {
  carried?.button.classList.remove('carried', 'dragged');
  carried = undefined;
  target.hidden = true;
};

const putAt = (button: HTMLButtonElement, item: ItemView, place: Place | null): void => {
  const container = byId(place === null ? 'pile' : 'grid');
  if (button.parentElement !== container) {
    const isFocused = document.activeElement === button;
    container.append(button);
    if (isFocused) button.focus({ preventScroll: true });
  }
  showPlace(button, item, place);
};

/** Asks the server to move an item. */
const drop = async ({ belonging, item, button }: Carried, place: Place): Promise<void> => {
  putAt(button, item, place);
  button.classList.add('waiting');
  try {
    await move(belonging.id, place);
    announce(`${item.name} is in column ${place.x + 1}, row ${place.y + 1}.`);
    await refresh();
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    putAt(button, item, belonging.place);
    button.classList.add('refused');
    setTimeout(() => button.classList.remove('refused'), 500);
    toast(`${item.name} goes back. ${error.message}`, 'bad');
  } finally {
    button.classList.remove('waiting');
  }
};

const dropCarried = (): void => {
  if (carried === undefined) return;
  const dropped = carried;
  letGo();
  drop(dropped, dropped.place);
};

const pickUp = (belonging: Belonging, button: HTMLButtonElement): Carried | undefined => {
  const item = shown?.items.get(belonging.itemId);
  if (item === undefined) return undefined;
  carried = { belonging, item, button, place: belonging.place ?? START };
  return carried;
};

const turned = (place: Place): Place => ({ ...place, rotated: !place.rotated });

const STEPS: Readonly<Record<string, readonly [number, number]>> = {
  ArrowLeft: [-1, 0],
  ArrowRight: [1, 0],
  ArrowUp: [0, -1],
  ArrowDown: [0, 1],
};

/** Stays inside the bag, so that arrows never lose an item. */
const stepped = ({ x, y, rotated }: Place, [right, down]: readonly [number, number], item: ItemView): Place => {
  const { cols = 1, rows = 1 } = shown?.world.bag ?? {};
  const { width, height } = footprint(item, rotated);
  const within = (value: number, max: number) => Math.max(0, Math.min(value, max));
  return { x: within(x + right, cols - width), y: within(y + down, rows - height), rotated };
};

/** The keys of an item that has the focus. Returns whether the key was one of them. */
const pressed = (key: string, belonging: Belonging, button: HTMLButtonElement): boolean => {
  const isGrab = key === 'Enter' || key === ' ';
  if (carried === undefined) {
    if (!isGrab) return false;
    const picked = pickUp(belonging, button);
    if (picked === undefined) return false;
    button.classList.add('carried');
    aim(picked.place);
    announce(`Picked up ${picked.item.name}. Arrows move it, R turns it, Enter drops it, Escape puts it back.`);
    return true;
  }
  const step = STEPS[key];
  if (isGrab) dropCarried();
  else if (key === 'Escape') {
    announce(`${carried.item.name} is back.`);
    letGo();
  } else if (step !== undefined || key.toLowerCase() === 'r') {
    aim(stepped(step === undefined ? turned(carried.place) : carried.place, step ?? [0, 0], carried.item));
    const hint = target.classList.contains('taken') ? ', taken' : '';
    announce(`Column ${carried.place.x + 1}, row ${carried.place.y + 1}${hint}`);
  } else return false;
  return true;
};

/** Follows one pointer from the press on an item until it is released. */
const drag = (down: PointerEvent, belonging: Belonging, button: HTMLButtonElement): void => {
  if (down.button !== 0 || carried !== undefined) return;
  const start = button.getBoundingClientRect();
  const cell = cellPx();
  const over = new AbortController();
  let last = down;
  let isDragging = false;

  const follow = (event: PointerEvent): void => {
    if (event.pointerId !== down.pointerId) return;
    last = event;
    const [dx, dy] = [event.clientX - down.clientX, event.clientY - down.clientY];
    if (!isDragging) {
      if (Math.hypot(dx, dy) < DRAG_STARTS_AT_PX || pickUp(belonging, button) === undefined) return;
      isDragging = true;
      button.classList.add('dragged');
    }
    if (carried === undefined) return;
    setVariables(button, { dx: `${dx}px`, dy: `${dy}px` });
    const grid = byId('grid').getBoundingClientRect();
    const at = (value: number): number => Math.max(0, Math.round(value / cell));
    const { place } = carried;
    aim({ ...place, x: at(start.left + dx - grid.left), y: at(start.top + dy - grid.top) });
  };
  const end = (isDropped: boolean): void => {
    over.abort();
    setVariables(button, { dx: '0px', dy: '0px' });
    if (!isDragging) return;
    const grid = byId('grid').getBoundingClientRect();
    const isInside =
      last.clientX > grid.left && last.clientX < grid.right && last.clientY > grid.top && last.clientY < grid.bottom;
    const { item } = carried ?? {};
    if (isDropped && isInside) dropCarried();
    else {
      letGo();
      if (item !== undefined) putAt(button, item, belonging.place);
    }
  };

  const { signal } = over;
  button.setPointerCapture(down.pointerId);
  button.addEventListener('pointermove', follow, { signal });
  button.addEventListener('pointerup', (event) => event.pointerId === down.pointerId && end(true), { signal });
  button.addEventListener('pointercancel', () => end(false), { signal });
  const onKey = (event: KeyboardEvent): void => {
    if (!isDragging || carried === undefined) return;
    if (event.key === 'Escape') end(false);
    if (event.key.toLowerCase() === 'r') {
      aim(turned(carried.place));
      showPlace(button, carried.item, { ...(belonging.place ?? START), rotated: carried.place.rotated });
    }
  };
  addEventListener('keydown', onKey, { signal });
};

/** Runs what a button asks for, and shows what came of it. */
const attempt = async (work: Promise<unknown>, done: string): Promise<void> => {
  try {
    await work;
    toast(done);
    await refresh();
  } catch (error) {
    if (!(error instanceof CallError)) throw error;
    toast(error.message, 'bad');
  }
};

const showDetails = (): void => {
  const belonging = shown?.me.belongings.find(({ id }) => id === selectedId);
  const item = belonging && shown?.items.get(belonging.itemId);
  for (const [id, button] of buttons) button.classList.toggle('selected', id === selectedId);
  if (belonging === undefined || item === undefined) {
    byId('details').replaceChildren(h('p', { class: 'small' }, 'Choose an item to see what it can do.'));
    return;
  }
  const turn = h('button', { class: 'quiet', type: 'button' }, 'Turn');
  const away = h('button', { class: 'quiet', type: 'button' }, 'Discard');
  byId('details').replaceChildren(
    h(
      'div',
      { class: item.rarity },
      h('strong', { class: 'rarity' }, item.name),
      h('p', { class: 'small' }, belonging.attributes.map(({ name, value }) => `${name} ${value}`).join(' · ') || '–'),
    ),
    h(
      'div',
      { class: 'buttons' },
      belonging.place !== null &&
        item.width !== item.height &&
        onClick(turn, () => {
          const picked = pickUp(belonging, buttons.get(belonging.id) as HTMLButtonElement);
          if (picked === undefined) return;
          picked.place = turned(picked.place);
          dropCarried();
        }),
      onClick(away, () => {
        attempt(discard(belonging.id), `${item.name} is gone.`);
      }),
    ),
  );
};

const select = (id: string): void => {
  selectedId = id;
  showDetails();
};

const createButton = (id: string, item: ItemView): HTMLButtonElement => {
  const button = itemButton(item);
  const current = (): Belonging | undefined => shown?.me.belongings.find((belonging) => belonging.id === id);
  const withCurrent = (work: (belonging: Belonging) => void): void => {
    const belonging = current();
    if (belonging !== undefined) work(belonging);
  };
  button.addEventListener('focus', () => select(id));
  button.addEventListener('click', () => select(id));
  button.addEventListener('pointerdown', (event) => withCurrent((belonging) => drag(event, belonging, button)));
  button.addEventListener('blur', () => carried?.button === button && !button.classList.contains('dragged') && letGo());
  button.addEventListener('keydown', (event) =>
    withCurrent((belonging) => {
      if (!button.classList.contains('dragged') && pressed(event.key, belonging, button)) event.preventDefault();
    }),
  );
  return button;
};

const show = (next: Shown): void => {
  shown = next;
  const { belongings } = next.me;
  const grid = byId('grid');
  setVariables(grid, { cols: next.world.bag.cols, rows: next.world.bag.rows });
  if (target.parentElement === null) grid.append(target);
  const ids = new Set(belongings.map(({ id }) => id));
  for (const [id, button] of buttons)
    if (!ids.has(id)) {
      button.remove();
      buttons.delete(id);
    }
  for (const { id, itemId, place } of belongings) {
    const item = next.items.get(itemId);
    if (item === undefined || carried?.belonging.id === id) continue;
    const button = buttons.get(id) ?? createButton(id, item);
    buttons.set(id, button);
    putAt(button, item, place);
  }
  const pile = belongings.filter(({ place }) => place === null).length;
  byId('pile-title').textContent = pile === 0 ? 'Nothing on the ground' : `On the ground: ${pile}`;
  byId('discard-pile').hidden = pile === 0;
  showDetails();
};

export const showBag = (): void => {
  onChange(show);
  onClick(byId('sort'), () => {
    attempt(sortBag(), 'The bag is packed.');
  });
  onClick(byId('discard-pile'), () => {
    if (confirm('Discard everything that lies on the ground?')) attempt(discardPile(), 'The ground is clear.');
  });
};
