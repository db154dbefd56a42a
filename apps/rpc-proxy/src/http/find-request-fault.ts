import type { ChainFamilyName } from '@chainwatch/chain-core';
import type { ClientRequest } from './client-request.ts';

const JSON_TYPES = new Set(['application/json', 'application/json-rpc', 'application/jsonrequest']);

/** Why a request does not fit a chain of this family; undefined when it does. */
export function findRequestFault(
  req: ClientRequest,
  family: ChainFamilyName,
  rest: string,
): string | undefined {
  if (rest !== '') return findPathFault(req, family, rest);
  if (req.method !== 'POST') return `expected POST, got ${req.method}`;
  const type = req.headers['content-type'];
  if (type === 'application/json' || type === undefined) return undefined;
  const plain = type.split(';', 1)[0]!.trim().toLowerCase();
  // What Bitcoin Core's own documentation sends.
  if (JSON_TYPES.has(plain) || (family === 'bitcoin' && plain === 'text/plain')) return undefined;
  return 'expected the content type application/json';
}

function findPathFault(req: ClientRequest, family: ChainFamilyName, rest: string): string | undefined {
  if (rest.startsWith('?')) return 'expected no query';
  if (family !== 'tron' || !/^\/(wallet|walletsolidity)\/[a-z0-9]{1,64}(\?|$)/i.test(rest))
    return 'expected no path behind the network';
  return req.method === 'POST' || req.method === 'GET'
    ? undefined
    : `expected POST or GET, got ${req.method}`;
}
