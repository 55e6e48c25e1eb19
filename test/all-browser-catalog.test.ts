import { runTogether } from './together.ts';

// Takes as long as all other tests in a browser together, since it runs on each database: so it runs next to them.
await runTogether('test/browser/catalog.test.ts');
