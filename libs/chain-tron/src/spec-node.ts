// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { createHash } from 'node:crypto';
import type { Block, ChainClient, Network } from '@chainwatch/chain-core';
import { computeBlockId } from './encode-header.ts';
import { computeMerkleRoot } from './merkle-root.ts';
import { readJson } from './spec-fixtures.ts';
import { tronFamily } from './tron-family.ts';
import type { TransactionInfo, WalletBlock, WalletHeader, WalletTransaction } from './wallet-block.ts';

const network = tronFamily.catalogue.networks.find(({ name }) => name === 'tron') as Network;

export interface SpecBlock {
  readonly block: WalletBlock;
  readonly infos: readonly TransactionInfo[];
}

const sha256 = (bytes: Uint8Array): Buffer => createHash('sha256').update(bytes).digest();

/** Length-delimited, of fewer than 16 384 bytes. */
export function field(number: number, bytes: Uint8Array): Buffer {
  return Buffer.concat([varint(number * 8 + 2), varint(bytes.length), bytes]);
}

function varint(value: number): Buffer {
  return value < 128 ? Buffer.of(value) : Buffer.of((value & 127) | 128, value >> 7);
}

/** A recorded block, and two recorded transfers of USDT in it: real bytes throughout. */
export function readSpecBlock(): SpecBlock {
  const recorded = readJson<WalletBlock>('java-tron-4.8.2-privnet.getblockbynum.json');
  const own = readJson<TransactionInfo[]>('java-tron-4.8.2-privnet.transactioninfos.json').filter(
    ({ blockNumber }) => blockNumber === 165,
  );
  const transfers = readJson<WalletBlock>('mainnet-78115149.getblockbynum-partial.json').transactions!.slice(
    0,
    2,
  );
  const log = readJson<TransactionInfo[]>('java-tron-4.8.2-privnet.transactioninfos.json')[0]!.log!;
  const { number, timestamp } = recorded.block_header.raw_data;
  const told = transfers.map(
    ({ txID }): TransactionInfo => ({
      id: txID,
      blockNumber: number!,
      blockTimeStamp: timestamp!,
      fee: 345_000,
      receipt: { result: 'SUCCESS' },
      log,
    }),
  );
  return seal({
    block: { ...recorded, transactions: [...recorded.transactions!, ...transfers] },
    infos: [...own, ...told],
  });
}

/**
 * Gives a block the root of its transactions and the id of its header. Of a transaction `results` are the bytes of its
 * results and what stands behind them; of the header `others` what stands behind its known fields.
 */
export function seal(
  { block, infos }: SpecBlock,
  {
    results = {},
    others = '',
  }: { readonly results?: Readonly<Record<number, string>>; readonly others?: string } = {},
): SpecBlock {
  const { txTrieRoot: _root, ...raw } = block.block_header.raw_data;
  const leaves = (block.transactions ?? []).map((tx, index) => {
    const tail = results[index] ?? '2a021801';
    return sha256(
      Buffer.concat([
        field(1, Buffer.from(tx.raw_data_hex, 'hex')),
        ...tx.signature!.map((hex) => field(2, Buffer.from(hex, 'hex'))),
        Buffer.from(tail, 'hex'),
      ]),
    );
  });
  const header: WalletHeader = { ...raw, txTrieRoot: computeMerkleRoot(leaves).toString('hex') };
  const bytes = (hex: string | undefined): Buffer => Buffer.from(hex ?? '', 'hex');
  const blockID = computeBlockId({
    timestamp: BigInt(header.timestamp!),
    txTrieRoot: bytes(header.txTrieRoot),
    parentHash: bytes(header.parentHash),
    number: BigInt(header.number!),
    witnessId: 0n,
    witnessAddress: bytes(header.witness_address),
    version: BigInt(header.version!),
    accountStateRoot: Buffer.alloc(0),
    others: bytes(others),
  });
  return { block: { ...block, blockID, block_header: { raw_data: header } }, infos };
}

/** With another transaction at `index`. */
export function withTransaction({ block, infos }: SpecBlock, index: number, change: object): SpecBlock {
  return {
    block: {
      ...block,
      transactions: block.transactions!.with(index, {
        ...block.transactions![index]!,
        ...change,
      } as WalletTransaction),
    },
    infos,
  };
}

export function withInfo({ block, infos }: SpecBlock, index: number, change: object): SpecBlock {
  return { block, infos: infos.with(index, { ...infos[index]!, ...change }) };
}

export function withHeader({ block, infos }: SpecBlock, change: object): SpecBlock {
  return {
    block: { ...block, block_header: { raw_data: { ...block.block_header.raw_data, ...change } } },
    infos,
  };
}

/** A node with one block, which tells it as JSON does, or as `toText` has it. */
export class SpecNode {
  readonly client: ChainClient;
  readonly #server: Server;
  #block = '{}';
  #infos = '[]';

  private constructor(server: Server) {
    this.#server = server;
    const endpointUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.client = tronFamily.createClient({ network, endpointUrl, timeoutMs: 5_000 });
  }

  static async start(): Promise<SpecNode> {
    const server = createServer((req, res) => {
      req
        .resume()
        .on('end', () => res.end(String(req.url).endsWith('infobyblocknum') ? node.#infos : node.#block));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const node = new SpecNode(server);
    return node;
  }

  tell({ block, infos }: SpecBlock, toText: (json: unknown) => string = JSON.stringify): this {
    this.#block = toText(block);
    this.#infos = toText(infos);
    return this;
  }

  read({ block }: SpecBlock, options?: { readonly takeUnknown: boolean }): Promise<Block> {
    return this.client.readBlock(
      { number: block.block_header.raw_data.number!, hash: block.blockID },
      undefined,
      options,
    );
  }

  close(): void {
    this.client.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
