import { type TObject, type TProperties, type TSchema, Type } from 'typebox';
import { Empty, Paging, PathId, responses, Strict } from '../../http/schemas.ts';
import type { EntityKind } from '../../shared/context.ts';

/** What is particular to an operation of one kind. */
interface Particulars {
  /** If it does more than its name says. */
  readonly summary?: string;
  readonly description: string;
  /** Statuses of errors besides those that the operation has for every kind. */
  readonly errors?: readonly (404 | 409)[];
}

interface Described<
  Shown extends TSchema,
  New extends TObject,
  Change extends TObject,
  Query extends TProperties,
  Listed extends TSchema,
> {
  readonly kind: EntityKind;
  readonly plural: string;
  readonly shown: Shown;
  /** `success`: what it returns, if that is more than the entity. */
  readonly create: Particulars & { readonly body: New; readonly success?: string };
  readonly list: Particulars & { readonly query?: Query; readonly shown?: Listed };
  readonly get: Particulars;
  readonly update: Particulars & { readonly body: Change };
  readonly delete: Particulars;
}

const capitalized = (word: string): string => `${word.charAt(0).toUpperCase()}${word.slice(1)}`;
const withArticle = (noun: string): string => `${/^[aeiou]/.test(noun) ? 'an' : 'a'} ${noun}`;

/** The operations that every kind of entity has. */
export const entityContract = <
  Shown extends TSchema,
  New extends TObject,
  Change extends TObject,
  Query extends TProperties = Record<never, TSchema>,
  Listed extends TSchema = Shown,
>(
  of: Described<Shown, New, Change, Query, Listed>,
) => {
  const { kind, plural, shown } = of;
  const [Kind, Plural, one] = [capitalized(kind), capitalized(plural), withArticle(kind)];
  const described = (operationId: string, usual: string, { summary = usual, description }: Particulars) => ({
    operationId,
    summary,
    description,
    tags: [Plural],
  });
  const failures = ({ errors = [] }: Particulars) => [400, 401, 403, 500, ...errors] as const;
  const { success = `The ${kind} that was created.` } = of.create;
  const { query = {} as Query, shown: listed = shown as TSchema as Listed } = of.list;
  return {
    create: {
      ...described(`create${Kind}`, `Create ${one}`, of.create),
      'x-etag': true,
      body: of.create.body,
      response: responses(success, shown, ...failures(of.create)),
    },
    list: {
      ...described(`list${Plural}`, `List ${plural}`, of.list),
      querystring: Strict({ ...query, ...Paging }),
      response: responses(`A page of ${plural}.`, Type.Array(listed), ...failures(of.list)),
    },
    get: {
      ...described(`get${Kind}`, `Get ${one}`, of.get),
      'x-etag': true,
      params: PathId,
      response: responses(`The ${kind}.`, shown, ...failures(of.get), 404),
    },
    update: {
      ...described(`update${Kind}`, `Update ${one}`, of.update),
      'x-etag': true,
      params: PathId,
      body: of.update.body,
      response: responses(`The ${kind} after the change.`, shown, ...failures(of.update), 404, 412),
    },
    delete: {
      ...described(`delete${Kind}`, `Delete ${one}`, of.delete),
      params: PathId,
      response: responses('An empty object.', Empty, ...failures(of.delete), 404, 412),
    },
  };
};
