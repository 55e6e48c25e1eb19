import { runTogether } from './together.ts';

await runTogether('test/browser/*.test.ts', {
  except: ['test/browser/catalog.test.ts', 'test/browser/pages.test.ts'],
});
