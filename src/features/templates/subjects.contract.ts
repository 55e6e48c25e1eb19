import { Type } from 'typebox';
import { Config } from '../../catalog/configs.ts';
import { TemplateType } from '../../catalog/entities.ts';
import { Id } from '../../http/schemas.ts';

/** What is computed or rolled on: a template or a configuration, live or as a draft makes it. */
export const subjectMembers = {
  templateId: Type.Optional({ ...Id, description: 'A template; required without `config`.' }),
  type: Type.Optional({ ...TemplateType, description: 'The game system of `config`; `gacha` by default.' }),
  config: Type.Optional({ ...Config, description: 'A configuration instead of a template, without saving it.' }),
  draftId: Type.Optional({
    ...Id,
    description:
      'Uses the catalog as it would be with the changes of this draft, instead of the live one. Changes that are faulty are left out.',
  }),
};
