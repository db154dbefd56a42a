// SPDX-License-Identifier: Apache-2.0
import { parseAbi, parseEventLogs, type Hex, type Log } from 'viem';
import type { WrappingChain } from './wrapping-chain.ts';

const EVENTS = parseAbi([
  'event Transfer(address indexed from, address indexed to, uint256 value)',
  'event Deposit(address indexed dst, uint256 wad)',
  'event Withdrawal(address indexed src, uint256 wad)',
  'event Rebase(uint256 percent)',
]);

type TokenLog = ReturnType<typeof parseEventLogs<typeof EVENTS, true>>[number];

const tagOf = (block: number): Hex => `0x${block.toString(16)}`;
const isSame = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

/** What the node itself says of balances and of the tokens' logs: it shares no code with the service. */
export class EvmBooks {
  readonly #chain: WrappingChain;
  readonly #logs = new Map<string, readonly TokenLog[]>();

  constructor(chain: WrappingChain) {
    this.#chain = chain;
  }

  hashOf(block: number): Promise<string> {
    return this.#chain
      .rpc<{ readonly hash: string }>('eth_getBlockByNumber', [tagOf(block), false])
      .then(({ hash }) => hash);
  }

  /** @param contract undefined: the native coin */
  async balanceAt(address: string, contract: string | undefined, block: number): Promise<bigint> {
    if (contract === undefined)
      return BigInt(await this.#chain.rpc<Hex>('eth_getBalance', [address, tagOf(block)]));
    const data = `0x70a08231${address.slice(2).padStart(64, '0')}`;
    return BigInt(await this.#chain.rpc<Hex>('eth_call', [{ to: contract, data }, tagOf(block)]));
  }

  async logsOf(contract: string): Promise<readonly TokenLog[]> {
    const known = this.#logs.get(contract);
    if (known !== undefined) return known;
    const raw = await this.#chain.rpc<Log<Hex, number, false>[]>('eth_getLogs', [
      { address: contract, fromBlock: '0x0', toBlock: 'latest' },
    ]);
    const logs = parseEventLogs({
      abi: EVENTS,
      logs: raw.map(({ blockTimestamp: _time, ...log }) => ({
        ...log,
        blockNumber: BigInt(log.blockNumber),
      })),
    });
    this.#logs.set(contract, logs);
    return logs;
  }

  /** Of Transfer, and of the wrapper that the network names its deposits and withdrawals: what the service is told. */
  async toldIn(
    address: string,
    contract: string,
    [from, to]: readonly [first: number, last: number],
  ): Promise<bigint> {
    let sum = 0n;
    for (const { blockNumber, eventName, args } of await this.logsOf(contract)) {
      if (Number(blockNumber) < from || Number(blockNumber) > to) continue;
      if (eventName === 'Transfer') {
        if (isSame(args.to, address)) sum += args.value;
        if (isSame(args.from, address)) sum -= args.value;
      }
      if (!isSame(contract, this.#chain.wrapper)) continue;
      if (eventName === 'Deposit' && isSame(args.dst, address)) sum += args.wad;
      if (eventName === 'Withdrawal' && isSame(args.src, address)) sum -= args.wad;
    }
    return sum;
  }

  /** Blocks in which the balance changed by something else than what is told, and by how much. */
  async untoldBlocks(
    address: string,
    contract: string,
    [after, last]: readonly [after: number, last: number],
  ): Promise<ReadonlyMap<number, bigint>> {
    const untold = new Map<number, bigint>();
    const blocks = new Set((await this.logsOf(contract)).map(({ blockNumber }) => Number(blockNumber)));
    for (const block of blocks) {
      if (block <= after || block > last) continue;
      const [before, now, told] = await Promise.all([
        this.balanceAt(address, contract, block - 1),
        this.balanceAt(address, contract, block),
        this.toldIn(address, contract, [block, block]),
      ]);
      if (now - before !== told) untold.set(block, now - before - told);
    }
    return untold;
  }
}
