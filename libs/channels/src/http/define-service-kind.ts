// SPDX-License-Identifier: Apache-2.0
import type { ChannelKind } from '../channel-kind.ts';
import { defineChannelKind } from '../define-channel-kind.ts';
import { formatEvents, type Markup } from '../format-events.ts';
import type { SenderContext, SendRequest, SentMessage } from '../sender.ts';
import {
  checkServiceUrl,
  maskServiceUrl,
  serviceHosts,
  serviceUrlCredentials,
  serviceUrlInput,
  serviceUrlStored,
  WEBHOOK_REFUSALS,
  type ServiceTarget,
} from './service-webhook.ts';

interface ServiceKind {
  /** Also, in capitals with `_HOSTS` behind it, the variable with its hosts. */
  readonly kind: string;
  /** As people write it. */
  readonly service: string;
  /** What it calls its webhooks. */
  readonly webhook: string;
  readonly hosts: readonly string[];
  readonly path: RegExp;
  readonly example: string;
  /** The secret part of a URL. */
  readonly hides: RegExp;
  /** Between two messages to one webhook. */
  readonly intervalMs: number;
  readonly markup: Markup;
  /** Characters of a message. */
  readonly lengthMax: number;
  send(
    request: SendRequest<ServiceTarget>,
    context: Pick<SenderContext, 'http' | 'userAgent'>,
  ): Promise<SentMessage>;
}

/** A chat service that takes messages at a webhook, which it makes for its users. */
export function defineServiceKind({
  kind,
  service,
  hosts,
  path,
  example,
  ...rest
}: ServiceKind): ChannelKind {
  const variable = `${kind.toUpperCase()}_HOSTS`;
  return defineChannelKind({
    kind,
    docs: {
      title: service,
      description: `A channel in ${service}.`,
      create: `Create a channel that posts to ${service} through ${rest.webhook}`,
      update: `Change a ${service} channel; a new URL makes a failed channel active again`,
      createExample: { name: 'Payments', url: example },
      updateExample: { event_types: ['transaction.confirmed'] },
    },
    input: {},
    secrets: serviceUrlInput({ service, path, example }),
    stored: serviceUrlStored,
    defaults: { events: 'movements', config: {} },
    credentials: serviceUrlCredentials,
    check: ({ url }, context, options) => checkServiceUrl(url, context, options.hosts),
    seal: (given) => given,
    mask: maskServiceUrl,
    isNewTarget: ({ url }) => url !== undefined,
    fatal: WEBHOOK_REFUSALS,
    hides: [rest.hides],
    environment: {
      variables: { [variable]: serviceHosts(hosts) },
      read: (values) => ({ hosts: values[variable] as string[] }),
    },
    options: { hosts, intervalMs: rest.intervalMs, digestFrom: 5, digestMax: 50 },
    limits: (_target, { intervalMs, digestFrom, digestMax }) => ({
      concurrency: 1,
      sharedIntervalMs: intervalMs,
      digest: { from: digestFrom, max: digestMax },
    }),
    pauseGroup: ({ credentials }) => credentials.url,
    render: (payloads, names) => formatEvents(payloads, names, rest),
    createSender: (context) => ({ send: (request) => rest.send(request, context) }),
  });
}
