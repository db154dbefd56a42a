// SPDX-License-Identifier: Apache-2.0
import { invalidRequest } from '@chainwatch/common/problem';
import { defineChannelKind } from '../define-channel-kind.ts';
import { hasUserInfo, maskUserInfo, readUserInfo, withoutUserInfo, type NatsAuth } from './nats-auth.ts';
import { natsCredentials, natsInput, natsSecrets, natsStored, type NatsTarget } from './nats-config.ts';
import type { ErrorCode } from '../attempt.ts';
import { describeMessage, publishOnce } from '../broker/publish-once.ts';
import type { Sender } from '../sender.ts';
import { createNatsPublisher, type NatsPublisherOptions } from './create-nats-publisher.ts';

/** A subject of a NATS server of a customer. */
export const nats = defineChannelKind({
  kind: 'nats',
  docs: {
    title: 'Nats',
    description: 'A NATS server.',
    create: 'Create a channel that publishes to your own NATS server',
    update: 'Change a NATS channel; a new URL or subject makes a failed channel active again',
    createExample: {
      name: 'Payments',
      url: 'nats://user:password@nats.example.com:4222',
      subject: 'payments.chainwatch',
    },
    updateExample: { subject: 'payments.chainwatch' },
  },
  input: natsInput,
  secrets: natsSecrets,
  stored: natsStored,
  defaults: { events: 'movements', config: { auth: { type: 'none' } } },
  credentials: natsCredentials,
  async check({ url, auth }, { checkUrl }) {
    if (url === undefined) return;
    if (hasUserInfo(url) && auth !== undefined)
      throw invalidRequest([
        { name: 'auth', reason: 'expected credentials either in the URL or here, got both' },
      ]);
    await checkUrl(url, ['nats:', 'tls:']);
  },
  seal(given, before) {
    const auth = chooseAuth(given, before);
    return auth && (auth.type === 'none' ? null : { auth });
  },
  mask(given, before) {
    const { url = withoutUserInfo(before?.url ?? '') } = given;
    const auth = chooseAuth(given, before) ?? before?.auth;
    return { url: maskUserInfo(url), auth: { type: auth?.type ?? 'none' } };
  },
  isNewTarget: ({ url, auth, subject }, before) =>
    url !== undefined || auth !== undefined || (subject !== undefined && subject !== before.subject),
  options: { idleMs: 60_000 },
  createSender: ({ dial }, { idleMs }) => createNatsSender({ dial, idleMs }),
});

/** The credentials in a request, from the URL or from `auth`. Undefined: there are none, and the sealed ones stay. */
function chooseAuth(
  { url, auth }: { readonly url?: string; readonly auth?: NatsAuth },
  before: { readonly url: string } | undefined,
): NatsAuth | undefined {
  const given = url !== undefined && hasUserInfo(url) ? readUserInfo(url) : auth;
  // Credentials that came with the old URL are not sent to a new one.
  const isDropped = before === undefined || (url !== undefined && hasUserInfo(before.url));
  return given ?? (isDropped ? { type: 'none' } : undefined);
}

/** Publishes the event's bytes to the customer's subject. */
function createNatsSender(options: NatsPublisherOptions): Sender<NatsTarget> {
  const publisher = createNatsPublisher(options);
  return {
    send(request) {
      const { target, event, body, timeoutMs, answerMs } = request;
      const { url, subject } = target.config;
      const headers = describeMessage(request);
      const message = { subject, payload: body, messageId: event.eventId, headers };
      return publishOnce({
        request: { url, subject, headers: { 'Nats-Msg-Id': event.eventId, ...headers } },
        answerMs,
        async publish(sent) {
          const receipt = await publisher.publish(target, { ...message, sent }, timeoutMs);
          if (receipt.stream === undefined) return undefined;
          const { stream, sequence: seq, isDuplicate } = receipt;
          return { stream, seq, ...(isDuplicate && { duplicate: true }) };
        },
        classify: (error) => (error instanceof Error ? NAMES[error.name] : undefined),
      });
    },
    close: () => publisher.close(),
  };
}

/** `permission_denied`: the credentials may not publish to the subject. */
const NAMES: Readonly<Record<string, ErrorCode>> = {
  AuthorizationError: 'authentication_failed',
  UserAuthenticationExpiredError: 'authentication_failed',
  PermissionViolationError: 'permission_denied',
  ClosedConnectionError: 'connection_reset',
  DrainingConnectionError: 'connection_reset',
};
