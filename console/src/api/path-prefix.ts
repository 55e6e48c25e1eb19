const content = document.querySelector<HTMLMetaElement>('meta[name="path-prefix"]')?.content ?? '';

/** The prefix of every path of the service. The service writes it into the page; the development server does not. */
export const PATH_PREFIX = content === 'PATH_PREFIX' ? '' : content;
