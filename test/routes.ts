import type { App } from '../src/http/server.ts';

export interface Route {
  readonly method: string;
  /** As it was registered: `/users/:userId/spaces`. */
  readonly url: string;
}

/** Every route that the running service has, whether its description shows it or not. */
export const routesOf = (app: App): Route[] => {
  const parents: string[] = [];
  // The tree of common prefixes: the one of whole segments leaves out a wildcard beside another.
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

/** Whoever runs the service or reads about it may call these without authorization. */
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
  '/healthz',
  '/readyz',
];

/** The routes of the interface proper, which all need authorization. */
export const guardedRoutesOf = (app: App): Route[] => routesOf(app).filter(({ url }) => !PUBLIC_URLS.includes(url));
