import { runTogether } from './together.ts';

await runTogether('packages/*/test/*.test.ts');
