// SPDX-License-Identifier: Apache-2.0
import { splitAssetGid } from '@chainwatch/common/caip';
import {
  nativeOf,
  BlockNotFoundError,
  ChainClientError,
  unwrap,
  type BalanceQuery,
  type BlockHeader,
  type BlockRef,
} from '@chainwatch/chain-core';
import { decodeUint, encodeBalanceOf } from '@chainwatch/ethereum/abi';
import { callContracts } from './call-contracts.ts';
import { readEvmHead, type EvmSession } from './read-evm-headers.ts';
import { hasEvm, hasWallet, requireEvm } from './read-headers.ts';
import { readWalletHead, type WalletSession } from './read-wallet-headers.ts';
import type { Session } from './session.ts';
import { toEvmAddress, toHexAddress } from './to-address.ts';

/**
 * Balances at a block. Nodes of TRON only tell the state at their head, so the head must be that block before
 * and after. TRC-10 balances need the wallet API; without it they stay undefined.
 * @throws BlockNotFoundError when the node's head is another block: it has no state of this one (any more)
 */
export async function readBalances(
  session: Session,
  {
    at,
    queries,
    signal,
  }: { readonly at: BlockRef; readonly queries: readonly BalanceQuery[]; readonly signal?: AbortSignal },
): Promise<(bigint | undefined)[]> {
  const native = nativeOf(session.network);
  const accounts = queries.filter(
    ({ assetGid }) => assetGid === native.gid || findTokenId(assetGid) !== undefined,
  );
  const tokens = queries.filter(({ assetGid }) => findContract(assetGid) !== undefined);
  const [held, owned] = await Promise.all([
    readAccountBalances(session, { at, queries: accounts, signal }),
    readTokenBalances(session, { at, queries: tokens, signal }),
  ]);
  const balances = new Map([
    ...accounts.map((query, index) => [query, held[index]] as const),
    ...tokens.map((query, index) => [query, owned[index]] as const),
  ]);
  return queries.map((query) => balances.get(query));
}

type Balances = (bigint | undefined)[];

function readAccountBalances(
  session: Session,
  {
    at,
    queries,
    signal,
  }: { readonly at: BlockRef; readonly queries: readonly BalanceQuery[]; readonly signal?: AbortSignal },
): Promise<Balances> {
  if (queries.length === 0) return Promise.resolve([]);
  if (!hasWallet(session)) return readNative(requireEvm(session), { at, queries, signal });
  return readAtHead(
    () => readWalletHead(session, signal),
    at,
    () => readAccounts(session, queries, signal),
  );
}

function readTokenBalances(
  session: Session,
  {
    at,
    queries,
    signal,
  }: { readonly at: BlockRef; readonly queries: readonly BalanceQuery[]; readonly signal?: AbortSignal },
): Promise<Balances> {
  if (queries.length === 0) return Promise.resolve([]);
  const calls = queries.map(({ address, assetGid }) => ({
    to: findContract(assetGid)!,
    data: encodeBalanceOf(toEvmAddress(address)),
  }));
  const read = async (): Promise<Balances> => (await callContracts(session, calls, signal)).map(decodeUint);
  return readAtHead(
    () => (hasEvm(session) ? readEvmHead(session, signal) : readWalletHead(session as WalletSession, signal)),
    at,
    read,
  );
}

async function readAtHead(
  readHead: () => Promise<BlockHeader>,
  at: BlockRef,
  read: () => Promise<Balances>,
): Promise<Balances> {
  await expectHead(readHead, at);
  const result = await read();
  await expectHead(readHead, at);
  return result;
}

async function expectHead(readHead: () => Promise<BlockHeader>, at: BlockRef): Promise<void> {
  const head = await readHead();
  if (head.hash !== at.hash)
    throw new BlockNotFoundError(
      `state of block ${at.number} ${at.hash} is not known to the node, which tells that of its head alone: block ${head.number} ${head.hash}`,
    );
}

/** TRX and TRC-10 of accounts, each account asked once; an account that nothing ever went to is `{}`. */
async function readAccounts(
  { wallet, network }: WalletSession,
  queries: readonly BalanceQuery[],
  signal?: AbortSignal,
): Promise<bigint[]> {
  const addresses = [...new Set(queries.map(({ address }) => address))];
  const found = new Map<string, Account>();
  await Promise.all(
    addresses.map(async (address) =>
      found.set(
        address,
        toAccount(await wallet.call('wallet/getaccount', { address: toHexAddress(address) }, signal)),
      ),
    ),
  );
  return queries.map(({ address, assetGid }) => {
    const account = found.get(address)!;
    return assetGid === nativeOf(network).gid
      ? account.balance
      : (account.assets.get(findTokenId(assetGid)!) ?? 0n);
  });
}

interface Account {
  readonly balance: bigint;
  readonly assets: ReadonlyMap<string, bigint>;
}

function toAccount(json: unknown): Account {
  if (typeof json !== 'object' || json === null)
    throw new ChainClientError(`getaccount: expected an account, got ${typeof json}`);
  const { balance = 0, assetV2 = [] } = json as {
    balance?: number | string;
    assetV2?: { key: string; value?: number | string }[];
  };
  return {
    balance: BigInt(balance),
    assets: new Map(assetV2.map(({ key, value = 0 }) => [key, BigInt(value)])),
  };
}

function readNative(
  session: EvmSession,
  {
    at,
    queries,
    signal,
  }: { readonly at: BlockRef; readonly queries: readonly BalanceQuery[]; readonly signal?: AbortSignal },
): Promise<Balances> {
  const { evm, network } = session;
  const own = queries.filter(({ assetGid }) => assetGid === nativeOf(network).gid);
  const read = async (): Promise<Balances> => {
    const answers = await evm.callMany(
      own.map(({ address }) => ({ method: 'eth_getBalance', params: [toEvmAddress(address), 'latest'] })),
      signal,
    );
    const balances = new Map(answers.map((answer, index) => [own[index]!, toQuantity(unwrap(answer))]));
    return queries.map((query) => balances.get(query));
  };
  return readAtHead(() => readEvmHead(session, signal), at, read);
}

function toQuantity(result: unknown): bigint {
  if (typeof result !== 'string' || !/^0x[0-9a-f]+$/.test(result))
    throw new ChainClientError(`eth_getBalance: expected a quantity, got ${typeof result}`);
  return BigInt(result);
}

/** `0x…` of the contract of a TRC-20 asset. */
export function findContract(assetGid: string): string | undefined {
  const { namespace, reference } = splitAssetGid(assetGid);
  return namespace === 'trc20' ? toEvmAddress(reference) : undefined;
}

/** Id of a TRC-10 asset. */
export function findTokenId(assetGid: string): string | undefined {
  const { namespace, reference } = splitAssetGid(assetGid);
  return namespace === 'trc10' ? reference : undefined;
}

/** An account is asked once for all that it holds, a contract once for each holder; the head before and after. */
export function countBalanceRequests(queries: readonly BalanceQuery[]): number {
  const contracts = queries.filter(({ assetGid }) => findContract(assetGid) !== undefined);
  const accounts = queries.filter(({ assetGid }) => findContract(assetGid) === undefined);
  return contracts.length + new Set(accounts.map(({ address }) => address)).size + 4;
}
