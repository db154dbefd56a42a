import type { FamilyRpc } from '@chainwatch/chain-core';
import type { ClientRequest } from './client-request.ts';

const JSON_TYPES = new Set(['application/json', 'application/json-rpc', 'application/jsonrequest']);

/** Why a request is not valid for a chain of this family; undefined when it is. */
export function findRequestFault(req: ClientRequest, rpc: FamilyRpc, rest: string): string | undefined {
  if (rest !== '') return findPathFault(req, rpc, rest);
  if (req.method !== 'POST') return `expected POST, got ${req.method}`;
  const type = req.headers['content-type'];
  if (type === 'application/json' || type === undefined) return undefined;
  const plain = type.split(';', 1)[0]!.trim().toLowerCase();
  if (JSON_TYPES.has(plain) || rpc.contentTypes?.includes(plain)) return undefined;
  return 'expected the content type application/json';
}

function findPathFault(req: ClientRequest, { paths }: FamilyRpc, rest: string): string | undefined {
  if (rest.startsWith('?')) return 'expected no query';
  if (!paths?.pattern.test(rest)) return 'expected no path behind the network';
  return req.method === 'POST' || req.method === 'GET'
    ? undefined
    : `expected POST or GET, got ${req.method}`;
}
