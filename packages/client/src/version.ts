/** The version of the client, which is that of the service it was made for. */
export const VERSION = '0.2.0';
