// SPDX-License-Identifier: Apache-2.0
import { receiveWebhook, type ReceiverOptions } from './receive-webhook.ts';

interface App {
  removeAllContentTypeParsers(): void;
  addContentTypeParser(
    type: '*',
    options: { parseAs: 'buffer' },
    parser: (request: unknown, body: Uint8Array, done: (error: null, body: Uint8Array) => void) => void,
  ): unknown;
  post(path: string, handler: (request: FastifyRequest, reply: FastifyReply) => unknown): unknown;
}
interface FastifyRequest {
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string | readonly string[] | undefined>>;
}
interface FastifyReply {
  code(status: number): { send(text: string): unknown };
}

/**
 * A plugin with one route; only there bodies stay raw.
 *
 * @example
 * app.register(chainwatchWebhook({ path: '/webhooks/chainwatch', secrets: process.env.CHAINWATCH_WEBHOOK_SECRET, handle }));
 */
export function chainwatchWebhook({ path, ...options }: ReceiverOptions & { readonly path: string }) {
  return async (app: App): Promise<void> => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
    app.post(path, async ({ body, headers }, reply) => {
      const { status, text } = await receiveWebhook(body as Uint8Array, headers, options);
      return reply.code(status).send(text);
    });
  };
}
