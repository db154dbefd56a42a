// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { utils } from 'tronweb';
import { nativeOf, type Block, type ChainClient, type Network } from '@chainwatch/chain-core';
import { encodeBytes, encodeInt } from './protobuf.ts';
import { sha256 } from './sha256.ts';
import { seal, type SpecBlock } from './spec-node.ts';
import { tronFamily } from './tron-family.ts';
import type { TransactionInfo } from './wallet-block.ts';

/**
 * Answers as java-tron gives them, made here: there are no recordings of most of these kinds of contracts. The bytes of the
 * contracts are those of tronweb's encoder, where it has the kind.
 */
const network = tronFamily.catalogue.networks.find(({ name }) => name === 'tron') as Network;
export const NATIVE = nativeOf(network).gid;
export const trc10 = (id: string): string => `${network.gid}/trc10:${id}`;

/** `41…` of the account with this number. */
export const accountHex = (index: number): string =>
  `41${(index + 1).toString(16).padStart(2, '0').repeat(20)}`;

export interface Made {
  readonly rawData: Buffer;
  /** What the record has beside its place. */
  readonly info?: Partial<TransactionInfo>;
  /** The members of the result in the block, encoded: `seal`'s. */
  readonly ret?: Readonly<Record<string, unknown>>;
  readonly results?: string;
}

let nonce = 0;
const envelope = (): object => ({
  ref_block_bytes: '0001',
  ref_block_hash: '0102030405060708',
  expiration: 1_800_000_060_000,
  timestamp: 1_800_000_000_000 + (nonce += 1),
});

/** A transaction of a kind that tronweb encodes; addresses and tokens in hexadecimal digits. */
export function encodeKind(type: string, value: Readonly<Record<string, unknown>>): Buffer {
  const contract = { type, parameter: { value, type_url: `type.googleapis.com/protocol.${type}` } };
  const pb: unknown = utils.transaction.txJsonToPb({ raw_data: { contract: [contract], ...envelope() } });
  return Buffer.from(utils.transaction.txPbToRawDataHex(pb as never), 'hex');
}

/** Of a kind that it does not have: fields by number, as the protocol has them. */
export function encodeFields(
  type: number,
  fields: Readonly<Record<number, Buffer | bigint | readonly Buffer[]>>,
): Buffer {
  const parameter = Buffer.concat(
    Object.entries(fields).flatMap(([number, value]) =>
      typeof value === 'bigint'
        ? [encodeInt(Number(number), value)]
        : (Buffer.isBuffer(value) ? [value] : (value as readonly Buffer[])).map((one) =>
            encodeBytes(Number(number), one),
          ),
    ),
  );
  return encodeParameter(type, parameter);
}

/** With the bytes of its parameter as they are. */
export function encodeParameter(type: number, parameter: Buffer): Buffer {
  const any = Buffer.concat([encodeBytes(1, Buffer.from('type')), encodeBytes(2, parameter)]);
  return Buffer.concat([
    encodeBytes(11, Buffer.concat([encodeInt(1, BigInt(type)), encodeBytes(2, any)])),
    encodeInt(14, BigInt((nonce += 1))),
  ]);
}

/** A sealed block of these transactions, with their records. */
export function makeBlock(made: readonly Made[], number = 7): SpecBlock {
  const timestamp = 1_800_000_003_000;
  const ids = made.map(({ rawData }) => sha256(rawData).toString('hex'));
  const header = {
    number,
    timestamp,
    parentHash: `${(number - 1).toString(16).padStart(16, '0')}${'ab'.repeat(24)}`,
    witness_address: accountHex(200),
    version: 34,
  };
  return seal(
    {
      block: {
        blockID: '',
        block_header: { raw_data: header },
        transactions: made.map(({ rawData, ret }, index) => ({
          txID: ids[index]!,
          raw_data_hex: rawData.toString('hex'),
          signature: ['00'.repeat(65)],
          ret: [{ contractRet: 'SUCCESS', ...ret }],
        })),
      },
      infos: made.map(({ info }, index) => ({
        id: ids[index]!,
        blockNumber: number,
        blockTimeStamp: timestamp,
        ...info,
      })),
    },
    {
      results: Object.fromEntries(
        made.flatMap(({ results }, index) => (results === undefined ? [] : [[index, results]])),
      ),
    },
  );
}

type Answer = (body: Readonly<Record<string, unknown>>) => object | undefined;

/** A node with one block, and whatever else it is asked about. An answer that is undefined: it does not serve that. */
export class LedgerNode {
  readonly client: ChainClient;
  readonly asked: string[] = [];
  answers: Readonly<Record<string, Answer>> = {};
  readonly #server: Server;
  #told: SpecBlock | undefined;

  private constructor(server: Server) {
    this.#server = server;
    const endpointUrl = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    this.client = tronFamily.createClient({ network, endpointUrl, timeoutMs: 5_000 });
  }

  static async start(): Promise<LedgerNode> {
    const server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req.on('data', (chunk: Buffer) => chunks.push(chunk));
      req.on('end', () => {
        const body = JSON.parse(Buffer.concat(chunks).toString()) as Record<string, unknown>;
        const answer = node.#answer(String(req.url).split('/').at(-1)!, body);
        res.writeHead(answer === undefined ? 404 : 200).end(JSON.stringify(answer ?? {}));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const node = new LedgerNode(server);
    return node;
  }

  #answer(method: string, body: Readonly<Record<string, unknown>>): object | undefined {
    if (method === 'gettransactioninfobyblocknum') return this.#told!.infos;
    if (method === 'getblock' || method === 'getblockbyid') return this.#told!.block;
    this.asked.push(method);
    return this.answers[method]?.(body);
  }

  /** @param takeUnknown default true: unknown parts are in the block */
  read(told: SpecBlock, takeUnknown = true): Promise<Block> {
    this.#told = told;
    this.asked.length = 0;
    const { block } = told;
    return this.client.readBlock(
      { number: block.block_header.raw_data.number!, hash: block.blockID },
      undefined,
      { takeUnknown },
    );
  }

  close(): void {
    this.client.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }
}
