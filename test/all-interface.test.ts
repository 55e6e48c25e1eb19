import { runTogether } from './together.ts';

await runTogether('test/interface/*.test.ts');
