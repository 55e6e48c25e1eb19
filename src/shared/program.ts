/** How this program was installed. */
import manifest from '../../package.json' with { type: 'json' };

export const VERSION: string = manifest.version;

/** The package contains JavaScript only; a clone runs TypeScript. */
const isPackage = import.meta.filename.endsWith('.js');

/** Where the embedded database is unless a setting says otherwise: an installed package starts in somebody else's folder. */
export const DEFAULT_DATABASE = isPackage ? 'sqlite:itemwright-data/itemwright.db' : 'sqlite:data/itemwright.db';

/** How the command line is called. */
export const COMMAND = isPackage ? 'itemwright' : 'npm run -s itemwright --';
