import type { Draft } from './api.ts';

/** Tells plans of a draft apart: by its revision and by the version of the catalog. */
export const planKey = ({ id, revision }: Draft, version: number): string => `draft ${id} ${revision} ${version}`;
