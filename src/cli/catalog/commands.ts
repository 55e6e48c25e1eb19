import type { CatalogCommand } from './command.ts';
import { exportItems, importItems } from './items.ts';
import { plan } from './plan.ts';
import { publish, rollback } from './publish.ts';
import { pull } from './pull.ts';
import { simulate } from './simulate.ts';
import { types } from './types.ts';
import { show, versions } from './versions.ts';

export const CATALOG_COMMANDS: Readonly<Record<string, CatalogCommand>> = {
  'catalog pull': pull,
  'catalog plan': plan,
  'catalog publish': publish,
  'catalog rollback': rollback,
  'catalog versions': versions,
  'catalog show': show,
  'catalog export': exportItems,
  'catalog import': importItems,
  simulate,
  types,
};
