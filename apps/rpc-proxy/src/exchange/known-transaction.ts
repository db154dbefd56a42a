import { keccak_256 } from '@noble/hashes/sha3.js';
import { scanCall } from '../json/scan-call.ts';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import type { WholeReply } from './receiver.ts';

// geth and erigon, nethermind, besu, openethereum.
const KNOWN = /already ?known|known transaction|already imported|already exists/i;
const RAW_TRANSACTION = /^\s*\[\s*"0x((?:[0-9a-fA-F]{2})+)"\s*\]\s*$/;

/**
 * The second node knows the transaction because the first one took it before it broke off: what was asked for came true,
 * so the answer is its hash. Undefined where the reply says something else.
 */
export function asKnownTransaction(body: Buffer, reply: WholeReply): WholeReply | undefined {
  const scanned = scanReply(reply.body, skipSpace(reply.body, 0));
  if (scanned === undefined || scanned.errorStart === -1 || isNull(reply.body, scanned.errorStart, scanned.errorEnd)) return undefined;
  if (!KNOWN.test(reply.body.toString('utf8', scanned.errorStart, scanned.errorEnd))) return undefined;
  const call = scanCall(body, skipSpace(body, 0));
  const raw = call.paramsStart === -1 ? null : RAW_TRANSACTION.exec(body.toString('latin1', call.paramsStart, call.paramsEnd));
  // The hash of a blob transaction does not cover the blobs that are sent with it.
  if (raw === null || raw[1]!.startsWith('03')) return undefined;
  const hash = Buffer.from(keccak_256(Buffer.from(raw[1]!, 'hex'))).toString('hex');
  const id = call.idStart === -1 ? 'null' : body.toString('utf8', call.idStart, call.idEnd);
  return { ...reply, status: 200, body: Buffer.from(`{"jsonrpc":"2.0","id":${id},"result":"0x${hash}"}`) };
}
