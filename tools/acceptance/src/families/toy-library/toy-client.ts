// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  ChainClientError,
  expectJson,
  HttpClient,
  IncompleteBlockError,
  JsonRpc,
  parseEndpoint,
  readRpcText,
  unwrap,
  WrongChainError,
  type BalanceQuery,
  type Block,
  type BlockHeader,
  type BlockRef,
  type ChainClient,
  type ChainClientOptions,
  type Network,
} from '@chainwatch/chain-core';
import { createHttpClient } from '@chainwatch/outbound';
import { decodeBlock } from './decode-block.ts';

/** One toy node. */
export class ToyClient implements ChainClient {
  readonly network: Network;
  readonly label: string;
  readonly #http: HttpClient;
  readonly #rpc: JsonRpc<AbortSignal | undefined>;

  constructor({
    network,
    endpointUrl,
    timeoutMs = 10_000,
    concurrency = 16,
    ...options
  }: ChainClientOptions) {
    const endpoint = parseEndpoint(endpointUrl);
    this.network = network;
    this.label = endpoint.label;
    this.#http = new HttpClient({ ...options, endpoint, timeoutMs, concurrency, openHttp: createHttpClient });
    this.#rpc = new JsonRpc(async (what, body, signal) => {
      const reply = await this.#http.send({ what, method: 'POST', path: endpoint.path, body, signal });
      return expectJson(what, readRpcText(what, reply));
    });
  }

  async verifyChain(signal?: AbortSignal): Promise<void> {
    const got = await this.#ask('toy_chain', [], signal);
    if (got !== this.network.reference)
      throw new WrongChainError(`node serves another chain: expected ${this.network.gid}, got toy:${got}`);
  }

  async readHead(signal?: AbortSignal): Promise<BlockHeader> {
    const number = await this.#ask('toy_head', [], signal);
    const header = await this.findHeaderByNumber(Number(number), signal);
    if (header === undefined) throw new BlockNotFoundError(`block ${number}: expected the head, got none`);
    return header;
  }

  /** By depth. */
  findFinalized(): Promise<undefined> {
    return Promise.resolve(undefined);
  }

  findHeaderByNumber(number: number, signal?: AbortSignal): Promise<BlockHeader | undefined> {
    return this.#findHeader(number, signal);
  }

  findHeaderByHash(hash: string, signal?: AbortSignal): Promise<BlockHeader | undefined> {
    return this.#findHeader(hash, signal);
  }

  async readHeaders(from: number, to: number, signal?: AbortSignal): Promise<BlockHeader[]> {
    const numbers = Array.from({ length: to - from + 1 }, (_, index) => from + index);
    const found = await Promise.all(numbers.map((number) => this.#findHeader(number, signal)));
    return found.filter((header) => header !== undefined);
  }

  async readBlock({ number, hash }: BlockRef, signal?: AbortSignal): Promise<Block> {
    const block = await this.#findBlock(hash, signal);
    if (block === undefined) throw new BlockNotFoundError(`block ${number} ${hash}: expected it, got none`);
    if (block.hash !== hash || block.number !== number)
      throw new IncompleteBlockError(
        `block ${number}: expected hash ${hash}, got ${block.hash} of ${block.number}`,
      );
    return block;
  }

  readBalances(at: BlockRef, queries: readonly BalanceQuery[], signal?: AbortSignal): Promise<bigint[]> {
    return Promise.all(
      queries.map(async ({ address }) => {
        const balance = await this.#ask('toy_balance', [address, at.hash], signal);
        if (typeof balance !== 'string')
          throw new BlockNotFoundError(`balance at ${at.hash}: expected one, got none`);
        return BigInt(balance);
      }),
    );
  }

  close(): void {
    this.#http.close();
  }

  async #findHeader(id: number | string, signal?: AbortSignal): Promise<BlockHeader | undefined> {
    const block = await this.#findBlock(id, signal);
    if (block === undefined) return undefined;
    const { number, hash, parentHash, timestamp } = block;
    if (number !== id && hash !== id)
      throw new ChainClientError(`toy_block: expected ${id}, got ${number} ${hash}`);
    return { number, hash, parentHash, timestamp };
  }

  async #findBlock(id: number | string, signal?: AbortSignal): Promise<Block | undefined> {
    const answer = await this.#ask('toy_block', [id], signal);
    return answer === null ? undefined : decodeBlock(this.network, answer);
  }

  async #ask(method: string, params: readonly unknown[], signal?: AbortSignal): Promise<unknown> {
    return unwrap(await this.#rpc.call({ method, params }, signal));
  }
}
