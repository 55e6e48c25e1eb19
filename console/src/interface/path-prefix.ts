const content = document.querySelector<HTMLMetaElement>('meta[name="path-prefix"]')?.content ?? '';

/** What every path of the service begins with. The service writes it into the page; the development server does not. */
export const PATH_PREFIX = content === 'PATH_PREFIX' ? '' : content;
