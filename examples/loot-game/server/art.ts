/** Small drawings of the items, as data URLs: each as large as its item is in the bag, and coloured by its rarity. */

export type Rarity = 'common' | 'uncommon' | 'rare' | 'epic' | 'legendary';

interface Colours {
  readonly main: string;
  readonly light: string;
  readonly dark: string;
}

const COLOURS: Readonly<Record<Rarity, Colours>> = {
  common: { main: '#98a2b0', light: '#dde3ea', dark: '#4c5563' },
  uncommon: { main: '#4fb05c', light: '#bdf0b8', dark: '#23552c' },
  rare: { main: '#3f90ea', light: '#bfe1ff', dark: '#1b4278' },
  epic: { main: '#a65fe8', light: '#e6ccff', dark: '#4b2378' },
  legendary: { main: '#f2a62a', light: '#ffe7a6', dark: '#7c4908' },
};

const STEEL = '#cdd5de';
const SHADE = '#8d99a8';
const WOOD = '#7a5334';
const LEATHER = '#54392a';

interface Shape {
  /** In cells of 32 units. */
  readonly size: readonly [width: number, height: number];
  readonly draw: (colours: Colours) => string;
}

const SHAPES = {
  dagger: {
    size: [1, 2],
    draw: ({ main, light, dark }) =>
      `<path d="M16 3l5 10-2 26h-6l-2-26z" fill="${STEEL}"/><path d="M16 3v36h3l2-26z" fill="${SHADE}"/><path d="M16 9v24" stroke="${main}" stroke-width="1.6"/><path d="M6 41q10-5 20 0l-2 4q-8-3-16 0z" fill="${main}"/><path d="M13 44h6v11h-6z" fill="${LEATHER}"/><path d="M13 47h6m-6 4h6" stroke="${dark}" stroke-width="1.5"/><circle cx="16" cy="58" r="4" fill="${main}"/><circle cx="15" cy="57" r="1.5" fill="${light}"/>`,
  },
  sword: {
    size: [1, 3],
    draw: ({ main, light, dark }) =>
      `<path d="M16 3l5 9v54H11V12z" fill="${STEEL}"/><path d="M16 3v63h5V12z" fill="${SHADE}"/><path d="M16 12v48" stroke="${main}" stroke-width="1.8"/><path d="M4 64q12-4 24 0v5q-12-3-24 0z" fill="${main}"/><path d="M13 69h6v17h-6z" fill="${LEATHER}"/><path d="M13 73h6m-6 4h6m-6 4h6" stroke="${dark}" stroke-width="1.6"/><circle cx="16" cy="89" r="4.5" fill="${main}"/><circle cx="15" cy="88" r="1.8" fill="${light}"/>`,
  },
  greatsword: {
    size: [2, 3],
    draw: ({ main, light, dark }) =>
      `<circle cx="32" cy="36" r="26" fill="${main}" opacity=".16"/><path d="M32 4v10M10 14l7 7M54 14l-7 7M4 38h9M51 38h9" stroke="${light}" stroke-width="2" stroke-linecap="round" opacity=".7"/><path d="M32 2l8 12v52H24V14z" fill="${STEEL}"/><path d="M32 2v64h8V14z" fill="${SHADE}"/><path d="M32 12l3 8v42h-6V20z" fill="${main}"/><path d="M32 12v50h-3V20z" fill="${light}"/><path d="M6 58q14 0 26 7 12-7 26-7-5 14-19 13H25Q11 72 6 58z" fill="${main}"/><path d="M6 58q14 0 26 7v6h-7Q11 72 6 58z" fill="${light}" opacity=".55"/><path d="M28 70h8v15h-8z" fill="${LEATHER}"/><path d="M28 74h8m-8 4h8m-8 4h8" stroke="${dark}" stroke-width="1.8"/><circle cx="32" cy="88" r="6" fill="${main}"/><circle cx="32" cy="88" r="2.6" fill="${light}"/>`,
  },
  axe: {
    size: [2, 3],
    draw: ({ main, light, dark }) =>
      `<path d="M32 6v86" stroke="${WOOD}" stroke-width="6" stroke-linecap="round"/><path d="M32 66v22" stroke="${LEATHER}" stroke-width="7"/><path d="M29 70l6 4m-6 2l6 4m-6 2l6 4" stroke="${main}" stroke-width="1.6"/><path d="M29 16Q14 8 5 14q-4 18 4 34 8-10 20-10z" fill="${STEEL}"/><path d="M35 16q15-8 24-2 4 18-4 34-8-10-20-10z" fill="${SHADE}"/><path d="M5 14q-4 18 4 34 1-4 3-6-5-12-2-28z" fill="${main}"/><path d="M59 14q4 18-4 34-1-4-3-6 5-12 2-28z" fill="${main}"/><rect x="27" y="18" width="10" height="18" rx="3" fill="${dark}"/><circle cx="32" cy="27" r="3.4" fill="${light}"/>`,
  },
  bow: {
    size: [2, 3],
    draw: ({ main, light, dark }) =>
      `<path d="M14 6v84" stroke="${light}" stroke-width="1.3"/><path d="M14 6q34 8 34 42T14 90" fill="none" stroke="${WOOD}" stroke-width="6" stroke-linecap="round"/><path d="M16 6.5q31 8 31 41.5" fill="none" stroke="${main}" stroke-width="2"/><path d="M47 38v20" stroke="${dark}" stroke-width="8" stroke-linecap="round"/><path d="M8 48h46" stroke="${STEEL}" stroke-width="2.4"/><path d="M62 48l-10-5v10z" fill="${main}"/><path d="M4 43l8 5-8 5 4-5z" fill="${main}"/>`,
  },
  staff: {
    size: [1, 3],
    draw: ({ main, light, dark }) =>
      `<path d="M16 28v64" stroke="${WOOD}" stroke-width="5" stroke-linecap="round"/><path d="M13 52l6 4m-6 2l6 4" stroke="${main}" stroke-width="2"/><circle cx="16" cy="16" r="14" fill="${main}" opacity=".22"/><circle cx="16" cy="16" r="8.5" fill="${main}"/><circle cx="13" cy="13" r="3" fill="${light}"/><path d="M16 34Q4 28 5 15q0-6 4-9M16 34q12-6 11-19 0-6-4-9" fill="none" stroke="${dark}" stroke-width="3" stroke-linecap="round"/>`,
  },
  shield: {
    size: [2, 2],
    draw: ({ main, light, dark }) =>
      `<path d="M32 3l25 8v20c0 16-12 26-25 31C19 57 7 47 7 31V11z" fill="${dark}"/><path d="M32 8l20 7v16c0 13-9 21-20 26C21 52 12 44 12 31V15z" fill="${main}"/><path d="M32 8v49C21 52 12 44 12 31V15z" fill="${light}" opacity=".45"/><path d="M32 8v49M12 29h40" stroke="${dark}" stroke-width="3"/><circle cx="32" cy="29" r="7.5" fill="${STEEL}"/><circle cx="30" cy="27" r="2.5" fill="#fff"/>`,
  },
  helm: {
    size: [2, 2],
    draw: ({ main, light, dark }) =>
      `<path d="M32 2q12 4 10 20H22Q20 6 32 2z" fill="${main}"/><path d="M11 50V32q0-20 21-20t21 20v18l-11 9V40H22v19z" fill="${STEEL}"/><path d="M32 12q21 0 21 20v18l-11 9V40H32z" fill="${SHADE}"/><path d="M17 33h30" stroke="#161a22" stroke-width="5" stroke-linecap="round"/><path d="M32 12v28" stroke="${dark}" stroke-width="3"/><path d="M16 26q3-9 11-10" fill="none" stroke="${light}" stroke-width="2.5" stroke-linecap="round"/>`,
  },
  armour: {
    size: [2, 3],
    draw: ({ main, light, dark }) =>
      `<path d="M19 8q13 12 26 0l15 9-5 22-6-3v28l-5 26H20l-5-26V36l-6 3-5-22z" fill="${STEEL}"/><path d="M32 14q7 0 13-6l15 9-5 22-6-3v28l-5 26H32z" fill="${SHADE}"/><path d="M4 17l15-9 4 13-14 18z" fill="${main}"/><path d="M60 17L45 8l-4 13 14 18z" fill="${dark}"/><path d="M15 60h34v8H15z" fill="${LEATHER}"/><circle cx="32" cy="64" r="4" fill="${main}"/><path d="M32 24l7 9-7 14-7-14z" fill="${main}"/><path d="M32 24v23l-7-14z" fill="${light}"/><path d="M24 68v20m16-20v20" stroke="${dark}" stroke-width="2"/>`,
  },
  boots: {
    size: [2, 2],
    draw: ({ main, light, dark }) =>
      `<path d="M8 8h15v30q9 4 9 16H8z" fill="${LEATHER}"/><path d="M36 8h15v30q9 4 9 16H36z" fill="${LEATHER}"/><path d="M8 8h5v46H8zM36 8h5v46h-5z" fill="${WOOD}"/><path d="M7 6h17v7H7zM35 6h17v7H35z" fill="${main}"/><path d="M7 6h8v7H7zM35 6h8v7h-8z" fill="${light}" opacity=".6"/><path d="M7 54h26v5H7zM35 54h26v5H35z" fill="${dark}"/><path d="M13 22l9 4m-9 4l9 4M41 22l9 4m-9 4l9 4" stroke="${main}" stroke-width="2"/>`,
  },
  tome: {
    size: [2, 2],
    draw: ({ main, light, dark }) =>
      `<path d="M10 8q0-4 5-4h37v48H15q-5 0-5 5z" fill="${dark}"/><path d="M10 57q0-5 5-5h37v8H15q-5 0-5-3z" fill="#efe3c8"/><path d="M16 4h36v48H16z" fill="${main}"/><path d="M16 4h6v48h-6z" fill="${dark}"/><path d="M26 8h22v40H26z" fill="none" stroke="${light}" stroke-width="1.6"/><path d="M37 14l3 10 9 3-9 3-3 11-3-11-9-3 9-3z" fill="${light}"/>`,
  },
  crown: {
    size: [2, 1],
    draw: ({ main, light, dark }) =>
      `<path d="M6 28L3 8l15 9L32 3l14 14 15-9-3 20z" fill="${main}"/><path d="M6 28L3 8l15 9L32 3v25z" fill="${light}" opacity=".6"/><path d="M5 23h54l-1 6H6z" fill="${dark}"/><circle cx="32" cy="3.5" r="2.5" fill="${light}"/><circle cx="3.5" cy="8" r="2.5" fill="${light}"/><circle cx="60.5" cy="8" r="2.5" fill="${light}"/><path d="M32 11l4 6-4 5-4-5z" fill="#e2405a"/><circle cx="17" cy="26" r="1.8" fill="${light}"/><circle cx="47" cy="26" r="1.8" fill="${light}"/>`,
  },
  potion: {
    size: [1, 1],
    draw: ({ main, light, dark }) =>
      `<path d="M12 5h8v7q8 3 8 10 0 8-12 8T4 22q0-7 8-10z" fill="#b7c6d6" fill-opacity=".35" stroke="#9fb0c2" stroke-width="1.2"/><path d="M5 20h22q2 9-11 9T5 20z" fill="${main}"/><circle cx="11" cy="23" r="2" fill="${light}"/><circle cx="18" cy="25" r="1.2" fill="${light}"/><rect x="11" y="2" width="10" height="4.5" rx="1.5" fill="${WOOD}"/><path d="M11 12h10" stroke="${dark}" stroke-width="1.5"/>`,
  },
  ring: {
    size: [1, 1],
    draw: ({ main, light, dark }) =>
      `<circle cx="16" cy="20" r="9" fill="none" stroke="${dark}" stroke-width="5"/><circle cx="16" cy="20" r="9" fill="none" stroke="${main}" stroke-width="3"/><path d="M16 1l6 6-6 7-6-7z" fill="${light}"/><path d="M16 1v13l6-7z" fill="${main}"/>`,
  },
  amulet: {
    size: [1, 1],
    draw: ({ main, light, dark }) =>
      `<path d="M5 2q0 12 11 14Q27 14 27 2" fill="none" stroke="${SHADE}" stroke-width="1.8"/><circle cx="16" cy="21" r="9" fill="${dark}"/><circle cx="16" cy="21" r="6.5" fill="${main}"/><ellipse cx="16" cy="21" rx="2.2" ry="5.5" fill="#10131a"/><circle cx="13.5" cy="18.5" r="1.8" fill="${light}"/>`,
  },
  gem: {
    size: [1, 1],
    draw: ({ main, light, dark }) =>
      `<path d="M9 5h14l6 8-13 16L3 13z" fill="${main}"/><path d="M9 5l3 8H3zm14 0l-3 8h-8l4-8z" fill="${light}"/><path d="M20 13h9L16 29z" fill="${dark}" opacity=".6"/>`,
  },
  scroll: {
    size: [1, 1],
    draw: ({ main, dark }) =>
      `<path d="M7 6h18v20H7z" fill="#efe3c8"/><path d="M11 11h10m-10 4h10m-10 4h6" stroke="${dark}" stroke-width="1.6"/><rect x="4" y="3" width="24" height="5" rx="2.5" fill="#d8c49a"/><rect x="4" y="24" width="24" height="5" rx="2.5" fill="#d8c49a"/><circle cx="21" cy="21" r="3.5" fill="${main}"/>`,
  },
} as const satisfies Readonly<Record<string, Shape>>;

export type ShapeName = keyof typeof SHAPES;

export const sizeOf = (shape: ShapeName): Shape['size'] => SHAPES[shape].size;

/** Far below the 2,048 characters that a thumbnail may have. */
export const pictureOf = (shape: ShapeName, rarity: Rarity): string => {
  const { size, draw } = SHAPES[shape] as Shape;
  const [width, height] = size.map((cells) => 32 * cells);
  const drawn = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}">${draw(COLOURS[rarity])}</svg>`;
  return `data:image/svg+xml,${drawn.replaceAll('"', "'").replaceAll('#', '%23').replaceAll('<', '%3C').replaceAll('>', '%3E')}`;
};
