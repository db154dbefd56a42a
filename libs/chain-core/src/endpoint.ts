// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from './errors.ts';

/** The parts of an endpoint URL, so that its secrets appear in the request and nowhere else. */
export interface Endpoint {
  /** `https://host:port`, for logs. */
  readonly label: string;
  readonly isSocket: boolean;
  /** http(s) form without userinfo. */
  readonly httpOrigin: string;
  /** ws(s) form without userinfo, path and query included. */
  readonly socketUrl: string;
  /** Path and query of requests; may hold an API key. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** @throws ChainClientError when `endpointUrl` is not an http(s) or ws(s) URL; the message does not show it */
export function parseEndpoint(endpointUrl: string): Endpoint {
  const url = URL.canParse(endpointUrl) ? new URL(endpointUrl) : undefined;
  if (url === undefined || !/^(https?|wss?):$/.test(url.protocol)) {
    throw new ChainClientError('endpoint URL: expected http, https, ws or wss', {
      publicMessage: 'endpoint URL is not valid',
    });
  }
  const isSecure = url.protocol === 'https:' || url.protocol === 'wss:';
  const authority = `${url.hostname}:${url.port === '' ? (isSecure ? '443' : '80') : url.port}`;
  const path = `${url.pathname}${url.search}`;
  return {
    label: `${url.protocol}//${authority}`,
    isSocket: url.protocol.startsWith('ws'),
    httpOrigin: `${isSecure ? 'https' : 'http'}://${authority}`,
    socketUrl: `${isSecure ? 'wss' : 'ws'}://${authority}${path}`,
    path,
    headers: basicHeader(url),
  };
}

function basicHeader(url: URL): Record<string, string> {
  if (url.username === '' && url.password === '') return {};
  const credentials = `${decode(url.username)}:${decode(url.password)}`;
  return { authorization: `Basic ${Buffer.from(credentials, 'utf8').toString('base64')}` };
}

/** A percent sign that was not escaped stays one. */
function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
