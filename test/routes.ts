import type { App } from '../src/http/server.ts';

export interface Route {
  readonly method: string;
  /** As registered: `/users/:userId/spaces`. */
  readonly url: string;
}

/** Every route of the running service, documented or not. */
export const routesOf = (app: App): Route[] => {
  const parents: string[] = [];
  // The tree of common prefixes: the one of whole segments omits a wildcard beside another.
  return app
    .printRoutes()
    .split('\n')
    .flatMap((line) => {
      const parts = /^([│\s]*)[├└]── (\S+)(?: \(([^)]*)\))?$/.exec(line);
      if (parts === null) return [];
      const [, indent = '', segment = '', methods = ''] = parts;
      const depth = indent.length / 4;
      const url = `${depth === 0 ? '' : parents[depth - 1]}${segment}`;
      parents[depth] = url;
      return methods.split(', ').flatMap((method) => (method === '' ? [] : [{ method, url }]));
    });
};

/** Operators and readers of the documentation may call these without authorization. */
export const PUBLIC_URLS = [
  '/',
  '/console',
  '/console/*',
  '/console/assets/*',
  '/console/favicon.svg',
  '/favicon.ico',
  '/openapi.json',
  '/docs',
  '/docs/',
  '/docs/js/scalar.js',
  '/guides',
  '/guides/*',
  '/llms.txt',
  '/healthz',
  '/readyz',
  '/verify',
];

/** What players may read without authorization. */
export const isForPlayers = (url: string): boolean => url.startsWith('/public/');

/** The routes of the API itself, which all need authorization. */
export const guardedRoutesOf = (app: App): Route[] =>
  routesOf(app).filter(({ url }) => !PUBLIC_URLS.includes(url) && !isForPlayers(url));
