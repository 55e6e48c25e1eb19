import { disconnectSignal } from '../../http/disconnect.ts';
import { sendPrepared } from '../../http/prepared-responses.ts';
import type { App } from '../../http/server.ts';
import { LIMITS } from '../../shared/limits.ts';
import * as contract from './disclosure.contract.ts';
import { type Disclosures, PAGE_POLICY } from './disclosure.service.ts';

const config = { access: 'public' } as const;
const cacheControl = `public, max-age=${LIMITS.disclosureAgeS}`;
const json = { type: 'application/json; charset=utf-8', cacheControl };
const page = { type: 'text/html; charset=utf-8', cacheControl };

export const disclosureRoutes = (app: App, { disclosures }: { disclosures: Disclosures }): void => {
  app.get('/public/:teamId/templates/:id/odds', { schema: contract.getPublicOdds, config }, async (request, reply) => {
    const { teamId, id } = request.params;
    return sendPrepared(request, reply, await disclosures.odds(teamId, id, disconnectSignal(reply)), json);
  });

  app.get(
    '/public/:teamId/templates/:id/history',
    { schema: contract.listPublicHistory, config },
    async (request, reply) => {
      const { teamId, id } = request.params;
      return sendPrepared(request, reply, await disclosures.history(teamId, id, disconnectSignal(reply)), json);
    },
  );

  app.get('/public/:teamId/templates/:id', { schema: contract.getPublicPage, config }, async (request, reply) => {
    const { teamId, id } = request.params;
    const { lang = contract.DEFAULT_LANGUAGE } = request.query;
    const made = await disclosures.page(teamId, id, lang, disconnectSignal(reply));
    reply.header('content-security-policy', PAGE_POLICY);
    return sendPrepared(request, reply, made, page);
  });
};
