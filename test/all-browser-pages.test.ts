import { runTogether } from './together.ts';

// Takes about as long as all other tests in a browser together, so it runs next to them.
await runTogether('test/browser/pages.test.ts');
