import { runTogether } from './together.ts';

await runTogether('src/features/**/*.test.ts');
