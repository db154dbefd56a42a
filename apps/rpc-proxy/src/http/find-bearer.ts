import { parseApiKey } from '@chainwatch/api-key';
import type { ClientRequest } from './client-request.ts';

/** The key in a request's head, and where the request goes, without the key. */
export interface Bearer {
  readonly key: string | undefined;
  /** Different keys stand in several places: none of them is accepted. */
  readonly isTwofold: boolean;
  /** The chain's name, as it stands in the path. */
  readonly name: string;
  /** The rest of the URL after the name, with its query: `/wallet/getnowblock`, or empty. */
  readonly rest: string;
}

/**
 * The key stands in X-Api-Key, in Authorization (Bearer, or the password of Basic), in `?api-key=`, or in the path
 * after the chain's name. In the path only a well-formed key counts; any other segment belongs to the chain.
 */
export function findBearer(
  { url = '/', headers }: Pick<ClientRequest, 'url' | 'headers'>,
  label: string,
): Bearer {
  const nameEnd = findNameEnd(url);
  const name = url.slice(1, nameEnd);
  const own = headers['x-api-key'];
  if (nameEnd === url.length && headers.authorization === undefined && typeof own !== 'object')
    return { key: own, isTwofold: false, name, rest: '' };
  const claims = new Set<string>();
  if (own !== undefined) claims.add(String(own));
  const authorized =
    headers.authorization === undefined ? undefined : readAuthorization(headers.authorization);
  if (authorized !== undefined) claims.add(authorized);
  const rest = takeFromQuery(takeFromPath(url.slice(nameEnd), label, claims), claims);
  // As soon as one value is a well-formed key, malformed ones are not taken for keys.
  const keys = [...claims].filter((claim) => parseApiKey(claim, label).ok);
  if (keys.length > 1) return { key: undefined, isTwofold: true, name, rest };
  const [first] = claims;
  return { key: keys[0] ?? first, isTwofold: false, name, rest };
}

/** Why the request could not be authenticated. */
export function sayUnauthorized({ key, isTwofold }: Bearer): string {
  if (isTwofold) return 'expected one API key, got different ones in different places';
  return key === undefined ? 'missing API key' : 'invalid API key';
}

function findNameEnd(url: string): number {
  for (let at = 1; at < url.length; at += 1) {
    const char = url.charCodeAt(at);
    if (char === 0x2f || char === 0x3f) return at;
  }
  return url.length;
}

function readAuthorization(value: string): string | undefined {
  const [, scheme, text] = /^(\w+) +(\S+)$/.exec(value.trim()) ?? [];
  if (scheme?.toLowerCase() === 'bearer') return text;
  if (scheme?.toLowerCase() !== 'basic') return undefined;
  const pair = Buffer.from(text!, 'base64').toString();
  const colon = pair.indexOf(':');
  return colon === -1 || colon === pair.length - 1 ? undefined : pair.slice(colon + 1);
}

function takeFromPath(rest: string, label: string, claims: Set<string>): string {
  const segment = /^\/([^/?]*)/.exec(rest)?.[1];
  if (segment === undefined || !parseApiKey(segment, label).ok) return rest;
  claims.add(segment);
  return rest.slice(segment.length + 1);
}

function takeFromQuery(rest: string, claims: Set<string>): string {
  const mark = rest.indexOf('?');
  const path = mark === -1 ? rest : rest.slice(0, mark);
  const left: string[] = [];
  for (const pair of mark === -1 ? [] : rest.slice(mark + 1).split('&')) {
    const equals = pair.indexOf('=');
    if (decode(equals === -1 ? pair : pair.slice(0, equals)) === 'api-key')
      claims.add(equals === -1 ? '' : decode(pair.slice(equals + 1)));
    else left.push(pair);
  }
  if (left.length > 0) return `${path}?${left.join('&')}`;
  return path === '/' ? '' : path;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
