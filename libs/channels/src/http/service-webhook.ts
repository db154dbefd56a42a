// SPDX-License-Identifier: Apache-2.0
import { z } from 'zod';
import { commaList } from '@chainwatch/platform/config';
import { invalidRequest } from '@chainwatch/common/problem';
import type { CheckContext } from '../channel-kind.ts';
import type { ChannelTarget, SendRequest, SenderContext, SentMessage } from '../sender.ts';
import { postOnce, type Outcome } from './post-once.ts';

// Webhooks that a chat service makes for its users: who knows the URL may write. Its last segment is the secret.

interface ServiceUrl {
  /** As people write it. */
  readonly service: string;
  readonly path: RegExp;
  readonly example: string;
}

/** The member of a request that holds the URL. */
export function serviceUrlInput({ service, path, example }: ServiceUrl) {
  const isOurs = (text: string): boolean => {
    const url = URL.parse(text);
    return url !== null && path.test(url.pathname) && url.href === `${url.origin}${url.pathname}`;
  };
  return {
    url: z
      .url({ protocol: /^https?$/, error: 'expected an https URL' })
      .max(2_048)
      .refine(isOurs, { error: `expected a webhook URL as ${service} gives it, such as ${example}` })
      .meta({ description: `The webhook's URL, as ${service} gives it; write-only.`, examples: [example] }),
  };
}

export const serviceUrlStored = {
  url: z.string().meta({
    description: "The webhook's URL, its secret masked.",
    examples: ['https://hooks.example.com/services/T00000000/B00000000/***'],
  }),
};
export const serviceUrlCredentials = z.object({ url: z.string() });
export type ServiceTarget = ChannelTarget<
  z.output<z.ZodObject<typeof serviceUrlStored>>,
  z.output<typeof serviceUrlCredentials>
>;

export function maskServiceUrl({ url }: { readonly url: string }): { url: string } {
  return { url: `${url.slice(0, url.lastIndexOf('/'))}/***` };
}

/** What an environment variable with the hosts of a service reads. */
export const serviceHosts = (hosts: readonly string[]): z.ZodType<string[], string | undefined> =>
  commaList().default([...hosts]);

/** @throws ProblemError 400 for another host than the service's, 422 for one in a blocked range */
export async function checkServiceUrl(
  text: string | undefined,
  { checkUrl, allowsHttp }: CheckContext,
  hosts: readonly string[],
): Promise<void> {
  if (text === undefined) return;
  const { protocol, host } = new URL(text);
  if (protocol !== 'https:' && !allowsHttp)
    throw invalidRequest([{ name: 'url', reason: 'expected an https URL' }]);
  if (!hosts.includes(host))
    throw invalidRequest([{ name: 'url', reason: `expected a URL at ${hosts.join(' or ')}, got ${host}` }]);
  await checkUrl(text, ['http:', 'https:']);
}

/** What no other attempt mends. */
export const WEBHOOK_REFUSALS = {
  /** A webhook that the service has forgotten never comes back. */
  webhook_gone: 'the service does not know the webhook any more: make a new one there, and give its URL',
  webhook_forbidden:
    'the service does not let the webhook write to its channel: allow it there, and restore this channel',
};

/** POSTs a message as JSON. */
export async function postToService(
  { target, timeoutMs, answerMs }: Pick<SendRequest<ServiceTarget>, 'target' | 'timeoutMs' | 'answerMs'>,
  message: { readonly json: object; readonly query?: string },
  { http, userAgent }: Pick<SenderContext, 'http' | 'userAgent'>,
): Promise<{ readonly request: SentMessage['request']; readonly outcome: Outcome }> {
  const { json, query = '' } = message;
  const { url } = target.credentials;
  const headers = { 'content-type': 'application/json', 'user-agent': userAgent };
  const body = JSON.stringify(json);
  const outcome = await postOnce({ url: `${url}${query}`, headers, body, http, timeoutMs, answerMs });
  const request = { method: 'POST' as const, url: `${maskServiceUrl({ url }).url}${query}`, headers, body };
  return { request, outcome: withoutSecret(outcome, url.slice(url.lastIndexOf('/') + 1)) };
}

/** An answer may repeat the URL. */
function withoutSecret(outcome: Outcome, secret: string): Outcome {
  const hide = (text: string): string => text.replaceAll(secret, '***');
  const { responseHeaders: headers, responseBody: body } = outcome;
  return {
    ...outcome,
    responseHeaders:
      headers && Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, hide(value)])),
    responseBody: body && hide(body),
  };
}
