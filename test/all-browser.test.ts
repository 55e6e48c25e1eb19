import { runTogether } from './together.ts';

// What most needs a browser. `npm run test:browser` runs the rest, which takes as long as all other tests together.
for (const name of ['catalog', 'serving', 'vendor-client']) await runTogether(`test/browser/${name}.test.ts`);
