import { hash } from 'node:crypto';
import type { ScannedCall } from '../json/scan-call.ts';
import type { MethodRule } from '../methods/method-rule.ts';
import type { Chain } from '../chains/chain.ts';

const TEXT_MAX = 256;
const UPPER_HEX = /"0x[0-9a-f]*[A-F]/;

/**
 * chain | method | version | parameters, never the id. Parameters count as they are written, every option included; only
 * hexadecimal text of EVM chains is the same in either case (base58 is not).
 */
export function cacheKeyOf(chain: Chain, rule: MethodRule, body: Buffer, call: ScannedCall): string {
  const version = call.versionStart === -1 ? '' : body.toString('latin1', call.versionStart, call.versionEnd);
  let params = call.paramsStart === -1 ? '' : body.toString('latin1', call.paramsStart, call.paramsEnd);
  if (chain.family === 'evm' && UPPER_HEX.test(params))
    params = params.replace(/"0x[0-9a-fA-F]*"/g, (text) => text.toLowerCase());
  if (params.length > TEXT_MAX) params = hash('sha256', params, 'base64');
  return `${chain.network.gid}|${rule.method}|${version}|${params}`;
}
