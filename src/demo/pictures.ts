/** Small drawings for the demo's items, as data URLs: one shape per kind of item, coloured by the item. */

interface Colours {
  /** The main colour. */
  readonly main: string;
  /** A lighter one for edges and highlights. */
  readonly light: string;
  /** For handles, bindings and stoppers. */
  readonly trim: string;
}

const SHAPES = {
  sword: ({ main, light, trim }: Colours) =>
    `<path d="M50 6 56 12 26 44l-8-2-2-8Z" fill="${main}"/><path d="M50 6 18 36l-2-2Z" fill="${light}"/><path d="m14 34 14 14" stroke="${trim}" stroke-width="5" stroke-linecap="round"/><path d="m18 42-9 11" stroke="${trim}" stroke-width="6" stroke-linecap="round"/>`,
  dagger: ({ main, light, trim }: Colours) =>
    `<path d="M46 14 32 40l-8-6Z" fill="${main}"/><path d="M46 14 28 37l-4-3Z" fill="${light}"/><path d="m20 32 14 11" stroke="${trim}" stroke-width="5" stroke-linecap="round"/><path d="m25 40-7 11" stroke="${trim}" stroke-width="6" stroke-linecap="round"/>`,
  axe: ({ main, light, trim }: Colours) =>
    `<path d="m14 54 26-40" stroke="${trim}" stroke-width="6" stroke-linecap="round"/><path d="M36 10c12-4 20 4 18 20-8-2-16-4-22-10Z" fill="${main}"/><path d="M50 12c4 4 5 10 4 18l-5-2c1-6 1-11-1-16Z" fill="${light}"/>`,
  hammer: ({ main, light, trim }: Colours) =>
    `<path d="m14 54 22-28" stroke="${trim}" stroke-width="6" stroke-linecap="round"/><path d="m26 14 12-8 18 16-10 12Z" fill="${main}"/><path d="m38 6 18 16-3 4-20-16Z" fill="${light}"/>`,
  bow: ({ main, light, trim }: Colours) =>
    `<path d="M46 8c12 16 4 40-32 46" fill="none" stroke="${main}" stroke-width="6" stroke-linecap="round"/><path d="M46 8 14 54" stroke="${light}" stroke-width="2"/><path d="m18 18 26 24m0-9v9h-9" fill="none" stroke="${trim}" stroke-width="3.5" stroke-linecap="round" stroke-linejoin="round"/>`,
  staff: ({ main, light, trim }: Colours) =>
    `<path d="M12 56 40 22" stroke="${trim}" stroke-width="5" stroke-linecap="round"/><circle cx="45" cy="17" r="11" fill="${main}"/><circle cx="41" cy="13" r="4" fill="${light}"/><path d="M33 29c-6-8-3-19 4-23" fill="none" stroke="${trim}" stroke-width="3.5" stroke-linecap="round"/>`,
  shield: ({ main, light, trim }: Colours) =>
    `<path d="M32 6c7 5 14 6 20 6 1 22-6 38-20 46C18 50 11 34 12 12c6 0 13-1 20-6Z" fill="${trim}"/><path d="M32 13c5 3 9 4 14 5 0 16-5 27-14 33-9-6-14-17-14-33 5-1 9-2 14-5Z" fill="${main}"/><path d="M32 13v38c-9-6-14-17-14-33 5-1 9-2 14-5Z" fill="${light}"/>`,
  helm: ({ main, light, trim }: Colours) =>
    `<path d="M12 36C12 18 20 8 32 8s20 10 20 28v14H40V36H24v14H12Z" fill="${main}"/><path d="M20 34c0-12 4-20 12-22-9-2-18 8-18 22Z" fill="${light}"/><path d="M32 8v28M12 36h40" stroke="${trim}" stroke-width="4"/>`,
  armour: ({ main, light, trim }: Colours) =>
    `<path d="m20 8 12 6 12-6 12 8-6 14-4-2v28H18V28l-4 2-6-14Z" fill="${main}"/><path d="m20 8 12 6v42H18V28l-4 2-6-14Z" fill="${light}"/><path d="M18 42h28M32 14v42" stroke="${trim}" stroke-width="3.5"/>`,
  boots: ({ main, light, trim }: Colours) =>
    `<path d="M20 8h16v26l16 8c4 2 4 10 0 12H20Z" fill="${main}"/><path d="M20 8h6v46h-6Z" fill="${light}"/><path d="M20 54h34M20 16h16" stroke="${trim}" stroke-width="5"/>`,
  gloves: ({ main, light, trim }: Colours) =>
    `<path d="M18 56V30c-4-4-6-8-4-10s6 0 8 4V12c0-4 6-4 6 0V9c0-4 6-4 6 0v3c0-4 6-4 6 0v5c0-4 6-4 6 0v22l-4 17Z" fill="${main}"/><path d="M18 56V30l6-4v30Z" fill="${light}"/><path d="M16 48h28" stroke="${trim}" stroke-width="6"/>`,
  ring: ({ main, light, trim }: Colours) =>
    `<circle cx="32" cy="40" r="16" fill="none" stroke="${trim}" stroke-width="6"/><path d="m32 6 10 9-10 11-10-11Z" fill="${main}"/><path d="m32 6-10 9 10 2Z" fill="${light}"/>`,
  amulet: ({ main, light, trim }: Colours) =>
    `<path d="M14 8c0 20 8 26 18 28 10-2 18-8 18-28" fill="none" stroke="${trim}" stroke-width="3.5"/><circle cx="32" cy="45" r="13" fill="${trim}"/><circle cx="32" cy="45" r="9" fill="${main}"/><circle cx="29" cy="42" r="3" fill="${light}"/>`,
  cloak: ({ main, light, trim }: Colours) =>
    `<path d="M24 12h16l14 44c-8-4-14 2-22 0-8 2-14-4-22 0Z" fill="${main}"/><path d="M24 12h5L20 55c-3-1-6-1-10 1Z" fill="${light}"/><path d="M22 14c6-8 14-8 20 0" fill="none" stroke="${trim}" stroke-width="5" stroke-linecap="round"/>`,
  potion: ({ main, light, trim }: Colours) =>
    `<path d="M26 8h12v14c10 4 14 12 14 18 0 10-8 16-20 16s-20-6-20-16c0-6 4-14 14-18Z" fill="#9fb0c0" fill-opacity=".5" stroke="#7d8fa1" stroke-width="2"/><path d="M14 36h36c3 12-6 18-18 18s-21-6-18-18Z" fill="${main}"/><circle cx="24" cy="44" r="4" fill="${light}"/><path d="M24 8h16" stroke="${trim}" stroke-width="6" stroke-linecap="round"/>`,
  scroll: ({ main, light, trim }: Colours) =>
    `<path d="M18 10h34c-5 3-4 8-4 12v24H18Z" fill="${light}"/><path d="M10 50c0-4 3-4 8-4h26c-2 4 0 8 4 8H16c-4 0-6-2-6-4Z" fill="${trim}"/><path d="M24 20h18M24 28h18M24 36h12" stroke="${main}" stroke-width="3.5" stroke-linecap="round"/>`,
  gem: ({ main, light, trim }: Colours) =>
    `<path d="M20 12h24l12 14-24 30L8 26Z" fill="${main}"/><path d="m20 12 4 14H8Zm24 0-4 14H24l8-14Z" fill="${light}"/><path d="M8 26h48M24 26l8 30 8-30" fill="none" stroke="${trim}" stroke-width="1.5"/>`,
  ore: ({ main, light, trim }: Colours) =>
    `<path d="m10 46 6-22 18-12 18 14 4 20-18 10H20Z" fill="${trim}"/><path d="m20 30 8-8 8 8-8 8Zm18 10 6-8 6 8-6 6Z" fill="${main}"/><path d="m20 30 8-8v8Zm18 10 6-8v8Z" fill="${light}"/>`,
  herb: ({ main, light, trim }: Colours) =>
    `<path d="M32 58C30 42 32 30 38 18" fill="none" stroke="${trim}" stroke-width="3.5" stroke-linecap="round"/><path d="M36 26c2-12 8-18 18-18 0 12-6 20-18 18ZM31 42C20 42 12 36 10 24c12 0 20 6 21 18Z" fill="${main}"/><path d="M36 26C40 18 46 12 54 8c-8 0-15 6-18 18ZM31 42C26 34 20 28 10 24c4 10 12 16 21 18Z" fill="${light}"/>`,
  tome: ({ main, light, trim }: Colours) =>
    `<path d="M14 10h32c4 0 6 2 6 6v40H18c-4 0-6-3-6-6V12Z" fill="${main}"/><path d="M14 50c0-3 2-4 4-4h34v8H18c-2 0-4-1-4-4Z" fill="#f3ead7"/><path d="M20 10v36" stroke="${trim}" stroke-width="4"/><path d="m35 18 6 8-6 8-6-8Z" fill="${light}"/>`,
} as const;

export type Shape = keyof typeof SHAPES;

/** Colours by material or element. */
const PALETTES = {
  iron: { main: '#8a97a6', light: '#c3ccd6', trim: '#6b4f3a' },
  wood: { main: '#a9764a', light: '#d3a677', trim: '#5f4630' },
  leather: { main: '#8d5f3c', light: '#b98a5f', trim: '#4c3a2c' },
  steel: { main: '#6f8fb3', light: '#b7cde6', trim: '#3d4f66' },
  gold: { main: '#e0a526', light: '#ffdc7d', trim: '#8a5a12' },
  fire: { main: '#e2572b', light: '#ffb067', trim: '#6b2a1c' },
  frost: { main: '#4aa8e0', light: '#bfe8ff', trim: '#2b4f77' },
  storm: { main: '#7c6bea', light: '#cfc6ff', trim: '#3a2f7a' },
  nature: { main: '#4f9d4a', light: '#a8dc8d', trim: '#5c4a2b' },
  shadow: { main: '#6b4a86', light: '#b292cf', trim: '#2c2038' },
  blood: { main: '#c3313d', light: '#ff8a8a', trim: '#6f4a2b' },
  moon: { main: '#8fb8c9', light: '#eafaff', trim: '#47607a' },
} as const satisfies Record<string, Colours>;

export type Palette = keyof typeof PALETTES;

/** A picture as a data URL; far below the 2,048 characters that a thumbnail may have. */
export const picture = (shape: Shape, palette: Palette): string => {
  const drawn = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">${SHAPES[shape](PALETTES[palette])}</svg>`;
  return `data:image/svg+xml,${encodeURIComponent(drawn).replaceAll('%20', ' ').replaceAll('%3D', '=').replaceAll('%3A', ':').replaceAll('%2F', '/').replaceAll('%2C', ',').replaceAll('%22', "'")}`;
};
