// SPDX-License-Identifier: Apache-2.0
import {
  ChainClientError,
  IncompleteBlockError,
  parseEndpoint,
  WrongChainError,
  readRegistered,
  type BalanceQuery,
  type Block,
  type BlockHeader,
  type BlockRef,
  type ChainClient,
  type ChainClientOptions,
  type InclusionProof,
  type Network,
  type NodeUpgrade,
  type ReadBlockOptions,
  type TokenMetadata,
  type Upgrade,
  askIfServed,
  isActiveUpgrade,
} from '@chainwatch/chain-core';
import { EvmApi } from './evm-api.ts';
import { EVM_INTERFACE } from './interfaces.ts';
import { readBalances, findContract, findTokenId } from './read-balances.ts';
import { readEvmBlock } from './read-evm-block.ts';
import {
  findFinalized,
  findHeaderByHash,
  findHeaderByNumber,
  hasWallet,
  readHead,
  readHeaders,
  requireEvm,
} from './read-headers.ts';
import { readProofs } from './read-proofs.ts';
import { readWalletBlock } from './read-wallet-block.ts';
import type { Session } from './session.ts';
import { WalletApi } from './wallet-api.ts';
import { parseWalletBlock } from './parse-wallet-block.ts';
import { z } from 'zod';
import { decodeBytes, readTokenContracts } from '@chainwatch/ethereum/abi';
import { callContracts } from './call-contracts.ts';

/** One node of TRON, by its wallet API, its Ethereum-compatible interface, or both. */
export class TronClient implements ChainClient {
  readonly network: Network;
  readonly label: string;
  readonly #session: Session;

  constructor(options: ChainClientOptions) {
    this.network = options.network;
    const { session, label } = createSession(options);
    this.#session = session;
    this.label = label;
  }

  async verifyChain(signal?: AbortSignal): Promise<void> {
    const { evm, wallet } = this.#session;
    await Promise.all([
      wallet && this.#verifyGenesis(wallet, signal),
      evm && this.#verifyChainId(evm, signal),
    ]);
  }

  readHead(signal?: AbortSignal): Promise<BlockHeader> {
    return readHead(this.#session, signal);
  }

  findFinalized(signal?: AbortSignal): Promise<BlockRef | undefined> {
    return findFinalized(this.#session, signal);
  }

  findHeaderByNumber(number: number, signal?: AbortSignal): Promise<BlockHeader | undefined> {
    return findHeaderByNumber(this.#session, number, signal);
  }

  findHeaderByHash(hash: string, signal?: AbortSignal): Promise<BlockHeader | undefined> {
    return findHeaderByHash(this.#session, hash, signal);
  }

  readHeaders(from: number, to: number, signal?: AbortSignal): Promise<BlockHeader[]> {
    return readHeaders(this.#session, { from, to, signal });
  }

  async readBlock(ref: BlockRef, signal?: AbortSignal, options?: ReadBlockOptions): Promise<Block> {
    try {
      return await (hasWallet(this.#session)
        ? readWalletBlock(this.#session, { ref, signal, options })
        : readEvmBlock(requireEvm(this.#session), { ref, signal, options }));
    } catch (error) {
      if (!(error instanceof TypeError || error instanceof SyntaxError || error instanceof RangeError))
        throw error;
      // Values of a wrong type: the answer was not what it claimed to be.
      throw new IncompleteBlockError(`block ${ref.number} ${ref.hash} could not be read: ${error.message}`, {
        cause: error,
      });
    }
  }

  async readProofs(
    ref: BlockRef,
    hashes: readonly string[],
    signal?: AbortSignal,
  ): Promise<Map<string, InclusionProof>> {
    if (hasWallet(this.#session)) return readProofs(this.#session, { ref, hashes, signal });
    const proof: InclusionProof = {
      type: 'none',
      reason: 'Only the wallet API of a node tells the bytes that a block covers.',
      othersMayShow: true,
    };
    return new Map(hashes.map((hash) => [hash, proof]));
  }

  readBalances(
    at: BlockRef,
    queries: readonly BalanceQuery[],
    signal?: AbortSignal,
  ): Promise<(bigint | undefined)[]> {
    return readBalances(this.#session, { at, queries, signal });
  }

  readTokens(
    assetGids: readonly string[],
    signal?: AbortSignal,
    moved?: ReadonlyMap<string, bigint>,
  ): Promise<(TokenMetadata | undefined)[]> {
    return readRegistered(this.network, assetGids, (others) =>
      readTokens(this.#session, { assetGids: others, moved, signal }),
    );
  }

  async findNewUpgrades(
    known: readonly Upgrade[],
    signal?: AbortSignal,
  ): Promise<readonly NodeUpgrade[] | undefined> {
    const { wallet } = this.#session;
    return wallet && findNewUpgrades(wallet, { known, nowMs: Date.now(), signal });
  }

  close(): void {
    this.#session.wallet?.close();
    this.#session.beside?.close();
    this.#session.evm?.close();
  }

  /** A chain's id is the end of its genesis block's. */
  async #verifyGenesis(wallet: WalletApi, signal?: AbortSignal): Promise<void> {
    const genesis = parseWalletBlock(
      'getblockbynum',
      await wallet.call('wallet/getblockbynum', { num: 0 }, signal),
    );
    if (genesis === undefined)
      throw new ChainClientError('getblockbynum: expected the genesis block, got none');
    this.#expectChain(genesis.blockID);
  }

  /** Java-tron before 4.4 answers with the genesis block's whole id. */
  async #verifyChainId(evm: EvmApi, signal?: AbortSignal): Promise<void> {
    const result = await evm.call('eth_chainId', [], signal);
    if (typeof result !== 'string' || !/^0x[0-9a-fA-F]+$/.test(result))
      throw new ChainClientError(`eth_chainId: expected a quantity, got ${typeof result}`);
    this.#expectChain(result.slice(2).toLowerCase());
  }

  #expectChain(id: string): void {
    const got = `tron:0x${Number.parseInt(id.slice(-8), 16).toString(16)}`;
    if (got !== this.network.gid)
      throw new WrongChainError(`node serves another chain: expected ${this.network.gid}, got ${got}`);
  }
}

/**
 * The path of the Ethereum-compatible interface on nodes and gateways, by which a URL from the configuration
 * without an interface name is recognized.
 */
const EVM_PATH = /\/jsonrpc\/?(?:$|\?)/;

function createSession({
  network,
  dial,
  timeoutMs = 10_000,
  concurrency = 16,
  ...endpoints
}: ChainClientOptions): { session: Session; label: string } {
  const { endpointUrl, interfaceName, otherUrls } = endpoints;
  const evmUrl = otherUrls?.[EVM_INTERFACE];
  const endpoint = parseEndpoint(endpointUrl);
  const isEvm = interfaceName === EVM_INTERFACE || EVM_PATH.test(endpoint.path);
  const evmEndpoint = isEvm ? endpoint : evmUrl === undefined ? undefined : parseEndpoint(evmUrl);
  const options = { dial, timeoutMs, concurrency };
  const session: Session = {
    network,
    wallet: isEvm ? undefined : new WalletApi({ ...options, endpoint }),
    evm: evmEndpoint && new EvmApi({ ...options, endpoint: evmEndpoint }),
    ...(isEvm &&
      EVM_PATH.test(endpoint.path) && {
        beside: new WalletApi({
          ...options,
          endpoint: { ...endpoint, path: endpoint.path.replace(/\/jsonrpc\/?/, '') },
        }),
      }),
    capabilities: {
      hasGetBlock: true,
      solidified: 'solidity_block',
      hasBlockReceipts: true,
      hasWalletBeside: true,
      headerVersion: 0,
    },
  };
  return { session, label: endpoint.label };
}

const answerSchema = z.object({
  chainParameter: z.array(z.object({ key: z.string().max(80), value: z.int().default(0) })),
});
/** Parameters by which a vote switches new rules on. */
const GATE = /^getAllow/;

/**
 * Gates of the chain that neither this release nor a row of `known` has, and those that are open although their row has no
 * past date. Undefined for a node that does not tell.
 */
export async function findNewUpgrades(
  wallet: Pick<WalletApi, 'call'>,
  {
    known,
    nowMs,
    signal,
  }: { readonly known: readonly Upgrade[]; readonly nowMs: number; readonly signal?: AbortSignal },
): Promise<readonly NodeUpgrade[] | undefined> {
  const answer = answerSchema.safeParse(
    await askIfServed(wallet.call('wallet/getchainparameters', {}, signal)),
  );
  if (!answer.success) return undefined;
  return answer.data.chainParameter.flatMap(({ key, value }) => {
    const isActive = value > 0;
    const row = known.find(({ signals }) => signals.includes(key));
    if (row !== undefined)
      return isActive && !isActiveUpgrade(row, nowMs) ? [{ name: `${row.name} ${key}`, isActive }] : [];
    return GATE.test(key) && !KNOWN_GATES.has(key) ? [{ name: key, isActive }] : [];
  });
}

/** Metadata of TRC-20 and TRC-721 contracts and, where the wallet API is there, of TRC-10 tokens; in order, undefined for what is no token. */
async function readTokens(
  session: Session,
  {
    assetGids,
    moved,
    signal,
  }: {
    readonly assetGids: readonly string[];
    readonly moved?: ReadonlyMap<string, bigint> | undefined;
    readonly signal?: AbortSignal | undefined;
  },
): Promise<(TokenMetadata | undefined)[]> {
  const contracts = assetGids.filter((gid) => findContract(gid) !== undefined);
  const [found, assets] = await Promise.all([
    readTokenContracts(
      contracts.map((gid) => ({ to: findContract(gid)!, moved: moved?.get(gid) })),
      (calls) => callContracts(session, calls, signal),
    ),
    Promise.all(assetGids.map((gid) => readAsset(session, gid, signal))),
  ]);
  const tokens = new Map(contracts.map((gid, index) => [gid, found[index]]));
  return assetGids.map((gid, index) => tokens.get(gid) ?? assets[index]);
}

async function readAsset(
  { wallet }: Session,
  gid: string,
  signal?: AbortSignal,
): Promise<TokenMetadata | undefined> {
  const id = findTokenId(gid);
  if (id === undefined || wallet === undefined) return undefined;
  const asset = await wallet.call('wallet/getassetissuebyid', { value: id }, signal);
  if (typeof asset !== 'object' || asset === null || !('name' in asset)) return undefined;
  const { name, abbr = '', precision = 0 } = asset as { name: string; abbr?: string; precision?: number };
  return { name: decodeBytes(name), symbol: decodeBytes(abbr === '' ? name : abbr), decimals: precision };
}

/** Chain parameters of java-tron 4.8.1 (`Wallet.getChainParameters`) by which a vote switches rules on, and those that 4.8.2 adds. */
const KNOWN_GATES: ReadonlySet<string> = new Set([
  'getAllowCreationOfContracts',
  'getAllowUpdateAccountName',
  'getAllowSameTokenName',
  'getAllowDelegateResource',
  'getAllowTvmTransferTrc10',
  'getAllowMultiSign',
  'getAllowAdaptiveEnergy',
  'getAllowAccountStateRoot',
  'getAllowProtoFilterNum',
  'getAllowTvmConstantinople',
  'getAllowTvmSolidity059',
  'getAllowTvmIstanbul',
  'getAllowShieldedTRC20Transaction',
  'getAllowMarketTransaction',
  'getAllowPBFT',
  'getAllowTransactionFeePool',
  'getAllowOptimizeBlackHole',
  'getAllowNewResourceModel',
  'getAllowTvmFreeze',
  'getAllowTvmVote',
  'getAllowTvmLondon',
  'getAllowTvmCompatibleEvm',
  'getAllowAccountAssetOptimization',
  'getAllowHigherLimitForMaxCpuTimeOfOneTx',
  'getAllowAssetOptimization',
  'getAllowNewReward',
  'getAllowDelegateOptimization',
  'getAllowOptimizedReturnValueOfChainId',
  'getAllowDynamicEnergy',
  'getAllowTvmShangHai',
  'getAllowCancelAllUnfreezeV2',
  'getAllowOldRewardOpt',
  'getAllowEnergyAdjustment',
  'getAllowStrictMath',
  'getAllowTvmCancun',
  'getAllowTvmBlob',
  'getAllowTvmSelfdestructRestriction',
  // 4.8.2
  'getAllowTvmPrague',
  'getAllowTvmOsaka',
  'getAllowHardenResourceCalculation',
  'getAllowHardenExchangeCalculation',
]);
