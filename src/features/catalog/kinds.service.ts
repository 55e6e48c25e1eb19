import type { Page, Paged } from '../../database/paging.ts';
import type { Reader, Transaction } from '../../database/work.ts';
import type { Context, EntityKind } from '../../shared/context.ts';
import { notFound } from '../../shared/errors.ts';
import { newId } from '../../shared/ids.ts';
import type { ChangedEntity, ChangeEntity, EntityRequest } from './change.service.ts';
import { etagOf } from './entities.service.ts';

/** What is particular to a request. */
type Wanted<K extends EntityKind> = Omit<EntityRequest<K>, 'kind' | 'id' | 'isNew' | 'ifMatch'>;

/** How entities of one kind are read, and what requests to change them mean. */
export interface KindOfEntity<K extends EntityKind, New, Change, Shown, Query, Row> {
  readonly kind: K;
  readonly create: (id: string, given: Omit<New, 'id'>) => Wanted<K>;
  readonly update: (context: Context, id: string, change: Change) => Wanted<K>;
  readonly delete?: Omit<Wanted<K>, 'edit'>;
  /** An entity after a change, as the API returns it. */
  readonly show: (context: Context, changed: ChangedEntity<K>) => Shown;
  readonly find: (reader: Reader, id: string) => Promise<Shown | undefined>;
  readonly list: (reader: Reader, query: Query, page: Page) => Promise<Paged<Row>>;
}

/** The operations that every kind of entity has. */
export const entityService = <K extends EntityKind, New extends { id?: string }, Change, Shown, Query, Row>(
  of: KindOfEntity<K, New, Change, Shown, Query, Row>,
  changeEntity: ChangeEntity,
) => {
  const { kind, list } = of;
  return {
    list,
    etagOf: (body: object): string => etagOf(kind, body),
    get: async (reader: Reader, id: string): Promise<Shown> => {
      const found = await of.find(reader, id);
      if (found === undefined) throw notFound();
      return found;
    },
    create: async (tx: Transaction, context: Context, { id = newId(), ...given }: New): Promise<Shown> =>
      of.show(context, await changeEntity(tx, context, { kind, id, isNew: true, ...of.create(id, given) })),
    update: async (
      tx: Transaction,
      context: Context,
      id: string,
      change: Change,
      ifMatch: string | undefined,
    ): Promise<Shown> =>
      of.show(context, await changeEntity(tx, context, { kind, id, ifMatch, ...of.update(context, id, change) })),
    delete: async (tx: Transaction, context: Context, id: string, ifMatch: string | undefined): Promise<void> => {
      await changeEntity(tx, context, { kind, id, ifMatch, edit: () => null, ...of.delete });
    },
  };
};
