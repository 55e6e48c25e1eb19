import { LONG_OPERATIONS, runTogether } from '../together.ts';

await runTogether('test/operations/*.test.ts', { except: ['test/operations/all.test.ts', ...LONG_OPERATIONS] });
