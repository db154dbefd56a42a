import type { FamilyRpc } from '@chainwatch/chain-core';
import { scanCall } from '../json/scan-body.ts';
import { isNull, scanReply } from '../json/scan-reply.ts';
import { skipSpace } from '../json/skip-value.ts';
import type { WholeReply } from './outcome.ts';

const RAW_TRANSACTION = /^\s*\[\s*"(?:0x)?((?:[0-9a-fA-F]{2})+)"/;

/**
 * The second node knows the transaction because the first one accepted it before it failed. The call succeeded, so the
 * answer is the transaction's hash. Undefined if the reply says something else.
 */
export function asKnownTransaction(
  rpc: FamilyRpc,
  { method, body, reply }: { readonly method: string; readonly body: Buffer; readonly reply: WholeReply },
): WholeReply | undefined {
  const scanned = scanReply(reply.body, skipSpace(reply.body, 0));
  if (
    scanned === undefined ||
    scanned.errorStart === -1 ||
    isNull(reply.body, scanned.errorStart, scanned.errorEnd)
  )
    return undefined;
  const start = skipSpace(body, 0);
  // A batch of one call that was answered with an object.
  if (body[start] !== 0x7b) return undefined;
  const call = scanCall(body, start);
  const raw =
    call.paramsStart === -1
      ? null
      : RAW_TRANSACTION.exec(body.toString('latin1', call.paramsStart, call.paramsEnd));
  const error = reply.body.toString('utf8', scanned.errorStart, scanned.errorEnd);
  const hash =
    raw === null ? undefined : rpc.findKnownTransaction?.(method, error, Buffer.from(raw[1]!, 'hex'));
  if (hash === undefined) return undefined;
  const id = call.idStart === -1 ? 'null' : body.toString('utf8', call.idStart, call.idEnd);
  const isVersion2 =
    call.versionStart !== -1 && body.toString('latin1', call.versionStart, call.versionEnd) === '"2.0"';
  return {
    ...reply,
    status: 200,
    body: Buffer.from(
      isVersion2
        ? `{"jsonrpc":"2.0","id":${id},"result":"${hash}"}`
        : `{"result":"${hash}","error":null,"id":${id}}`,
    ),
  };
}
