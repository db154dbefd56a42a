import type { IncomingHttpHeaders } from 'node:http';
import type { Socket } from 'node:net';
import type { BodyError } from './body-errors.ts';
import type { ReplyChannel } from './reply-channel.ts';

/** A client's request without its body. If it was read by hand, it has only the headers that the options name. */
export interface HttpRequest {
  readonly method?: string | undefined;
  readonly url?: string | undefined;
  readonly headers: IncomingHttpHeaders;
  readonly socket: Socket;
}

/**
 * Handles a complete request.
 * @param error why its body could not be read
 */
export type RequestHandler<Full extends string = string> = (
  req: HttpRequest,
  channel: ReplyChannel,
  error: BodyError<Full> | undefined,
  body: Buffer,
) => void;
