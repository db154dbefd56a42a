import {
  BlockNotFoundError,
  IncompleteBlockError,
  settleUnknowns,
  type Block,
  type BlockRef,
  type ReadBlockOptions,
} from '@chainwatch/chain-core';
import { decodeBlock } from './decode-block.ts';
import { bytesOf } from './protobuf.ts';
import { CONTRACT_TYPES } from './read-contract.ts';
import { readReceipts } from './read-receipts.ts';
import { hasEvm } from './read-headers.ts';
import { findWalletBlock, findWalletHeaderByNumber, type WalletSession } from './read-wallet-headers.ts';
import { isAssetId } from './token-gid.ts';
import { verifyBlock, type VerifiedBlock } from './verify-block.ts';
import { verifyLogs } from './verify-logs.ts';
import { parseInfos, type TransactionInfo, type WalletBlock } from './wallet-block.ts';

/** A block by the wallet API; with the Ethereum-compatible interface beside it, its logs are those of both. */
export async function readWalletBlock(
  session: WalletSession,
  {
    ref,
    signal,
    options,
  }: { readonly ref: BlockRef; readonly signal?: AbortSignal; readonly options?: ReadBlockOptions },
): Promise<Block> {
  const body = findWalletBlock(session, ref.hash, signal);
  const [block, infos, receipts] = await Promise.all([
    body,
    readInfos(session, ref, signal),
    hasEvm(session)
      ? readReceipts(session, { ref, body: async () => listHashes(ref, await body), signal })
      : undefined,
  ]);
  if (block === undefined) throw notFound(ref);
  const verified = verifyBlock(ref, block, infos);
  if (receipts !== undefined) verifyLogs(ref, verified, receipts);
  return settleUnknowns(
    decodeBlock(session.network, verified, await readAssetIds(session, verified, signal)),
    verified.unknowns,
    options,
  );
}

/** Records are read by number. If they belong to another block, the node has moved on and they do not fit `ref`. */
async function readInfos(
  session: WalletSession,
  ref: BlockRef,
  signal?: AbortSignal,
): Promise<readonly TransactionInfo[]> {
  const infos = parseInfos(
    'gettransactioninfobyblocknum',
    await session.wallet.call('wallet/gettransactioninfobyblocknum', { num: ref.number }, signal),
  );
  // The same transactions may have other effects in another block of this height, and records are always of
  // the canonical one.
  const canonical = await findWalletHeaderByNumber(session, ref.number, signal);
  if (canonical?.hash !== ref.hash) throw notFound(ref);
  if (infos === undefined && ref.number > 0)
    throw new IncompleteBlockError(
      `block ${ref.number} ${ref.hash}: expected the records of its transactions, got none`,
    );
  return infos ?? [];
}

/** For receipts, which old nodes tell one by one. */
function listHashes(ref: BlockRef, block: WalletBlock | undefined): { transactions: { hash: string }[] } {
  if (block === undefined) throw notFound(ref);
  return { transactions: (block.transactions ?? []).map(({ txID }) => ({ hash: `0x${txID}` })) };
}

/** Ids of tokens that transactions name by name, as in blocks of 2018. */
async function readAssetIds(
  { wallet }: WalletSession,
  { transactions }: VerifiedBlock,
  signal?: AbortSignal,
): Promise<ReadonlyMap<string, string>> {
  const ids = new Map<string, string>();
  for (const { contract } of transactions) {
    if (contract.type !== CONTRACT_TYPES.transferAsset) continue;
    const name = bytesOf(contract.parameter, 1);
    const text = name.toString('utf8');
    if (isAssetId(text) || ids.has(text)) continue;
    const asset = await wallet.call('wallet/getassetissuebyname', { value: name.toString('hex') }, signal);
    if (typeof asset === 'object' && asset !== null && 'id' in asset) ids.set(text, String(asset.id));
  }
  return ids;
}

function notFound({ number, hash }: BlockRef): BlockNotFoundError {
  return new BlockNotFoundError(`block ${number} ${hash} is not known to the node`);
}
