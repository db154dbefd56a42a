import { hash } from 'node:crypto';
import type { ScannedCall } from '../json/scan-call.ts';
import type { MethodRule } from '../methods/method-rule.ts';
import type { Chain } from '../chains/chain.ts';

const TEXT_MAX = 256;

/**
 * chain | method | version | parameters, never the id. Parameters are compared as written, with every option; only
 * spellings that the family declares equal share a key.
 */
export function cacheKeyOf(chain: Chain, rule: MethodRule, body: Buffer, call: ScannedCall): string {
  const version = call.versionStart === -1 ? '' : body.toString('latin1', call.versionStart, call.versionEnd);
  let params = call.paramsStart === -1 ? '' : body.toString('latin1', call.paramsStart, call.paramsEnd);
  params = chain.rpc.normalizeParams?.(params) ?? params;
  if (params.length > TEXT_MAX) params = hash('sha256', params, 'base64');
  return `${chain.network.gid}|${rule.method}|${version}|${params}`;
}
