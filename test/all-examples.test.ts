import { runTogether } from './together.ts';

await runTogether('examples/*/test/*.test.ts');
