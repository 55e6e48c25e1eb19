import type { FastifyReply, FastifyRequest, FastifySchema } from 'fastify';
import type { Static, TSchema } from 'typebox';
import type { Page, Paged } from '../database/paging.ts';
import type { Database, Reader, Transaction } from '../database/work.ts';
import type { Context } from '../shared/context.ts';
import { sendEtag } from './etag.ts';
import type { RequestRunners } from './idempotency.ts';
import { type PageQuery, pageOf } from './paging.ts';
import type { App } from './server.ts';

interface Operation extends FastifySchema {
  readonly response: { readonly 200: TSchema };
}
type Returned<O extends Operation> = Promise<Static<O['response'][200]>>;

/** The operations that every kind of entity has. */
interface Contract {
  readonly create: Operation & { readonly body: TSchema };
  readonly list: Operation & { readonly querystring: TSchema };
  readonly get: Operation;
  readonly update: Operation & { readonly body: TSchema };
  readonly delete: Operation;
}
type BodyOf<O extends { readonly body: TSchema }> = Static<O['body']>;

/** What carries them out. */
interface Service<C extends Contract, Row> {
  etagOf(body: object): string;
  create(tx: Transaction, context: Context, body: BodyOf<C['create']>): Returned<C['create']>;
  list(reader: Reader, query: Static<C['list']['querystring']>, page: Page): Promise<Paged<Row>>;
  get(reader: Reader, id: string): Returned<C['get']>;
  update(
    tx: Transaction,
    context: Context,
    id: string,
    body: BodyOf<C['update']>,
    ifMatch: string | undefined,
  ): Returned<C['update']>;
  delete(tx: Transaction, context: Context, id: string, ifMatch: string | undefined): Promise<void>;
}

interface Entities<C extends Contract, Row> {
  readonly path: string;
  readonly contract: C;
  readonly service: Service<C, Row>;
  readonly sendPage: (request: FastifyRequest, reply: FastifyReply, page: Paged<Row>) => unknown;
}

export type EntityRouteParts = { readonly database: Database } & RequestRunners;

interface Member {
  Params: { id: string };
}

const config = { access: 'catalog' } as const;

/** Creates and lists entities. What is validated has the types of the contract. */
export const collectionRoutes = <C extends Contract, Row>(
  app: App,
  { database, change }: EntityRouteParts,
  { path, contract, service, sendPage }: Entities<C, Row>,
): void => {
  const onSend = sendEtag(service.etagOf);
  app.post(path, { schema: contract.create as FastifySchema, onSend, config }, (request, reply) =>
    change(request, reply, (tx, { context, body }) => service.create(tx, context, body as BodyOf<C['create']>)),
  );

  app.get(path, { schema: contract.list as FastifySchema }, async (request, reply) => {
    const query = request.query as Static<C['list']['querystring']>;
    const page = pageOf(request.query as PageQuery);
    const read = (reader: Reader) => service.list(reader, query, page);
    return sendPage(request, reply, await database.read(request.context.teamId, read));
  });
};

/** Gets, changes and deletes one entity. */
export const memberRoutes = <C extends Contract, Row>(
  app: App,
  { database, inTransaction }: EntityRouteParts,
  { path, contract, service }: Entities<C, Row>,
): void => {
  const onSend = sendEtag(service.etagOf);
  const url = `${path}/:id`;
  app.get<Member>(url, { schema: contract.get as FastifySchema, onSend }, ({ context, params }) =>
    database.read(context.teamId, (reader) => service.get(reader, params.id)),
  );

  app.put<Member>(url, { schema: contract.update as FastifySchema, onSend, config }, (request) =>
    inTransaction(request, (tx, { context, params, body, headers }) =>
      service.update(tx, context, params.id, body as BodyOf<C['update']>, headers['if-match']),
    ),
  );

  app.delete<Member>(url, { schema: contract.delete as FastifySchema, config }, async (request) => {
    await inTransaction(request, (tx, { context, params, headers }) =>
      service.delete(tx, context, params.id, headers['if-match']),
    );
    return {};
  });
};

/** The routes of one kind of entity. */
export const entityRoutes = <C extends Contract, Row>(
  app: App,
  parts: EntityRouteParts,
  entities: Entities<C, Row>,
): void => {
  collectionRoutes(app, parts, entities);
  memberRoutes(app, parts, entities);
};
