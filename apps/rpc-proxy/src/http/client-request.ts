import type { IncomingHttpHeaders } from 'node:http';

/** What is read of a client's request besides its body. */
export interface ClientRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  /** The connection: who is at its other end, and the bearer of a key. */
  readonly socket: { readonly remoteAddress?: string | undefined };
}
