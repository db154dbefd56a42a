// SPDX-License-Identifier: Apache-2.0
import type { SolanaNode } from '../../../devnet/solana/index.ts';
import type { ExpectedTransaction } from '../test-chain.ts';

interface RpcTokenBalance {
  readonly accountIndex: number;
  readonly mint: string;
  readonly owner: string;
  readonly uiTokenAmount: { readonly amount: string };
}

type RpcMeta = RpcBlock['transactions'][number]['meta'];

interface RpcBlock {
  readonly blockhash: string;
  readonly transactions: readonly {
    readonly transaction: {
      readonly signatures: readonly string[];
      readonly message: { readonly accountKeys: readonly { readonly pubkey: string }[] };
    };
    readonly meta: {
      readonly err: unknown;
      readonly fee: number;
      readonly preBalances: readonly number[];
      readonly postBalances: readonly number[];
      readonly preTokenBalances: readonly RpcTokenBalance[];
      readonly postTokenBalances: readonly RpcTokenBalance[];
    };
  }[];
}

/**
 * Reads the canonical chain in the node's parsed form and says which transactions a watcher of `watched` (address → first
 * slot that counts) must have. Shares no code with the service: it is the oracle. It knows that in each transaction an
 * asset has one sender or one receiver (SolanaActor).
 */
export async function expectTransactions(
  node: SolanaNode,
  {
    chainGid,
    watched,
    from,
  }: { readonly chainGid: string; readonly watched: ReadonlyMap<string, number>; readonly from: number },
): Promise<Map<string, ExpectedTransaction>> {
  const expected = new Map<string, ExpectedTransaction>();
  const head = await node.call<number>('getSlot', [{ commitment: 'confirmed' }]);
  for (const slot of await node.call<number[]>('getBlocks', [from, head, { commitment: 'confirmed' }])) {
    const block = await readBlock(node, slot);
    const counts = (address: string): boolean => slot >= (watched.get(address) ?? Number.POSITIVE_INFINITY);
    for (const { transaction, meta } of block.transactions) {
      const keys = transaction.message.accountKeys.map(({ pubkey }) => pubkey);
      const isFailed = meta.err !== null;
      const transfers = isFailed
        ? []
        : listTransfers(chainGid, keys, meta).filter(({ from: sender, to }) => counts(sender) || counts(to));
      if (transfers.length === 0 && !counts(keys[0]!)) continue;
      const hash = transaction.signatures[0]!;
      const lines = transfers
        .map(({ type, asset, from: sender, to, amount }) =>
          `${type} ${asset} ${sender} ${to} ${amount}`.toLowerCase(),
        )
        .sort();
      expected.set(hash, {
        hash,
        blockNumber: slot,
        blockHash: block.blockhash,
        isFailed,
        transfers: lines,
        feesRaw: [String(meta.fee)],
      });
    }
  }
  return expected;
}

/** What blocks after `from` changed, newest last: `<address> native`, `<address> <mint>`, as an owner and as an account. */
export async function readChanges(
  node: SolanaNode,
  from: number,
): Promise<{ readonly slot: number; readonly changes: ReadonlyMap<string, bigint> }[]> {
  const head = await node.call<number>('getSlot', [{ commitment: 'confirmed' }]);
  const slots = await node.call<number[]>('getBlocks', [from + 1, head, { commitment: 'confirmed' }]);
  const found = [];
  for (const slot of slots) {
    const { transactions } = await readBlock(node, slot);
    const changes = new Map<string, bigint>();
    const note = (address: string, asset: string, amount: bigint): void =>
      void changes.set(`${address} ${asset}`, (changes.get(`${address} ${asset}`) ?? 0n) + amount);
    for (const { transaction, meta } of transactions) {
      const keys = transaction.message.accountKeys.map(({ pubkey }) => pubkey);
      keys.forEach((key, index) => note(key, 'native', subtract(meta, index)));
      for (const [sign, balances] of [
        [-1n, meta.preTokenBalances],
        [1n, meta.postTokenBalances],
      ] as const)
        for (const { accountIndex, mint, owner, uiTokenAmount } of balances)
          for (const address of new Set([owner, keys[accountIndex]!]))
            note(address, mint, sign * BigInt(uiTokenAmount.amount));
    }
    found.push({ slot, changes });
  }
  return found;
}

function readBlock(node: SolanaNode, slot: number): Promise<RpcBlock> {
  return node.call<RpcBlock>('getBlock', [
    slot,
    { commitment: 'confirmed', encoding: 'jsonParsed', maxSupportedTransactionVersion: 1 },
  ]);
}

/** Of the digits that the node wrote: the faucet has more than 2^53 lamports, and numbers would be rounded. */
function subtract({ preBalances, postBalances }: RpcMeta, index: number): bigint {
  return BigInt(String(postBalances[index])) - BigInt(String(preBalances[index]));
}

interface Line {
  readonly type: string;
  readonly asset: string;
  readonly from: string;
  readonly to: string;
  readonly amount: bigint;
}

function listTransfers(chainGid: string, keys: readonly string[], meta: RpcMeta): Line[] {
  const moves = new Map<string, Map<string, bigint>>();
  const note = (asset: string, address: string, amount: bigint): void => {
    const ofAsset = moves.get(asset) ?? new Map<string, bigint>();
    moves.set(asset, ofAsset.set(address, (ofAsset.get(address) ?? 0n) + amount));
  };
  keys.forEach((key, index) =>
    note('native', key, subtract(meta, index) + (index === 0 ? BigInt(meta.fee) : 0n)),
  );
  for (const [sign, balances] of [
    [-1n, meta.preTokenBalances],
    [1n, meta.postTokenBalances],
  ] as const) {
    for (const { accountIndex, mint, owner, uiTokenAmount } of balances) {
      note(`owners ${mint}`, owner, sign * BigInt(uiTokenAmount.amount));
      note(`accounts ${mint}`, keys[accountIndex]!, sign * BigInt(uiTokenAmount.amount));
    }
  }
  return [...moves].flatMap(([asset, changes]) =>
    pair(changes).map((line) => ({
      ...line,
      ...(asset === 'native'
        ? { type: 'native', asset: `${chainGid}/slip44:1` }
        : { type: 'token', asset: `${chainGid}/token:${asset.split(' ')[1]}` }),
    })),
  );
}

function pair(changes: ReadonlyMap<string, bigint>): Omit<Line, 'type' | 'asset'>[] {
  const senders = [...changes]
    .filter(([, amount]) => amount < 0n)
    .map(([address, amount]) => ({ address, amount: -amount }));
  const receivers = [...changes]
    .filter(([, amount]) => amount > 0n)
    .map(([address, amount]) => ({ address, amount }));
  if (senders.length > 1 && receivers.length > 1)
    throw new Error('expected one sender or one receiver of an asset');
  const lines =
    senders.length > 1 || receivers.length === 1
      ? senders.map(({ address, amount }) => ({
          from: address,
          to: receivers[0]?.address ?? 'null',
          amount: receivers[0] === undefined || amount < receivers[0].amount ? amount : receivers[0].amount,
        }))
      : receivers.map(({ address, amount }) => ({
          from: senders[0]?.address ?? 'null',
          to: address,
          amount,
        }));
  if (senders.length === 0 && receivers.length === 1)
    return [{ from: 'null', to: receivers[0]!.address, amount: receivers[0]!.amount }];
  const rest =
    senders.reduce((sum, { amount }) => sum + amount, 0n) -
    lines.reduce((sum, { amount }) => sum + amount, 0n);
  if (rest > 0n && senders.length === 1) lines.push({ from: senders[0]!.address, to: 'null', amount: rest });
  return lines;
}
