import apiReference from '@scalar/fastify-api-reference';
import Fastify from 'fastify';

const TITLE = 'Itemwright API reference';

/** The package names its own product, and browsers would ask for an icon outside of the path prefix. */
const withHead = (page: string): string =>
  page
    .replace('<html>', '<html lang="en">')
    .replace(
      '<title>Scalar API Reference</title>',
      `<title>${TITLE}</title>\n    <link rel="icon" href="../favicon.ico" type="image/svg+xml" />`,
    );

/** The API reference: a page, and the script that shows the OpenAPI document in it. */
export const buildReference = async (): Promise<{ page: string; script: string }> => {
  const app = Fastify();
  await app.register(apiReference, {
    routePrefix: '/docs',
    configuration: {
      title: TITLE,
      // The service puts its path prefix in this place.
      url: 'PATH_PREFIX/openapi.json',
      withDefaultFonts: false,
      telemetry: false,
      hideClientButton: true,
      showDeveloperTools: 'never',
      agent: { disabled: true },
      mcp: { disabled: true },
    } as never,
  });
  const read = async (path: string): Promise<string> => (await app.inject(path)).body;
  return { page: withHead(await read('/docs/')), script: await read('/docs/js/scalar.js') };
};
