/** A configuration error. The path is a JSON pointer (RFC 6901) into the configuration: `/pities/0/tier`. */
export interface Fault {
  readonly path: string;
  readonly message: string;
}

/** Collects errors, so that all of them are reported at once. */
export interface FaultList {
  readonly found: readonly Fault[];
  add(path: readonly (string | number)[], message: string): void;
}

const pointerOf = (path: readonly (string | number)[]): string =>
  path.map((segment) => `/${String(segment).replaceAll('~', '~0').replaceAll('/', '~1')}`).join('');

export const listFaults = (): FaultList => {
  const found: Fault[] = [];
  return {
    found,
    add: (path, message) => {
      found.push({ path: pointerOf(path), message });
    },
  };
};
