// SPDX-License-Identifier: Apache-2.0
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseTransaction, type ParsedTransaction } from './parse-transaction.ts';
import type { RawAccounts, RawTransaction } from './raw-block.ts';
import { SolanaClient } from './solana-client.ts';
import { devnet, type RecordedBlock } from './spec-fixtures.ts';

interface Config {
  readonly transactionDetails: 'full' | 'accounts' | 'signatures' | 'none';
  readonly maxSupportedTransactionVersion: number;
}

/** How it fails at the block with its instructions. */
export type Failing = 'late' | 'large' | 'cut' | 'limited' | 'busy';

/** A node with one block, whose transactions have the versions that they state. It answers as agave does. */
export class SpecNode {
  asked: string[] = [];
  client!: SolanaClient;
  #server!: Server;
  #block!: RecordedBlock;
  #accounts!: readonly RawTransaction[];
  #extra: object = {};
  #isTerse = false;
  #failing: Failing | undefined;

  async start(): Promise<void> {
    this.#server = createServer((req, res) => {
      const chunks: Buffer[] = [];
      req
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        .on('end', () => {
          const {
            id,
            params: [, config],
          } = JSON.parse(Buffer.concat(chunks).toString()) as { id: number; params: [number, Config] };
          if (config.transactionDetails === 'full' && this.#failing !== undefined) {
            this.asked.push(`full ${this.#failing}`);
            fail(res, this.#failing);
            return;
          }
          this.asked.push(`${config.transactionDetails} ${config.maxSupportedTransactionVersion}`);
          res.end(JSON.stringify({ jsonrpc: '2.0', id, ...this.#answer(config) }));
        });
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => this.#server.once('listening', resolve));
  }

  /** For a client that has met nothing yet. */
  tell(
    block: RecordedBlock,
    {
      accounts = block.transactions.map(toAccounts),
      extra = {},
      isTerse = false,
      failing,
      timeoutMs,
    }: {
      accounts?: readonly RawTransaction[];
      extra?: object;
      isTerse?: boolean;
      failing?: Failing;
      timeoutMs?: number;
    } = {},
  ): this {
    this.client?.close();
    this.client = new SolanaClient({
      network: devnet,
      endpointUrl: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`,
      ...(timeoutMs !== undefined && { timeoutMs }),
    });
    this.asked = [];
    this.#block = block;
    this.#accounts = accounts;
    this.#extra = extra;
    this.#isTerse = isTerse;
    this.#failing = failing;
    return this;
  }

  stop(): void {
    this.client.close();
    this.#server.closeAllConnections();
    this.#server.close();
  }

  #answer({ transactionDetails, maxSupportedTransactionVersion: max }: Config): object {
    const { transactions, ...rest } = this.#block;
    const body = { ...rest, ...this.#extra };
    if (transactionDetails === 'none') return { result: body };
    if (transactionDetails === 'signatures')
      return { result: { ...body, signatures: this.#accounts.map(signatureOf) } };
    const higher = transactions.find(({ version }) => typeof version === 'number' && version > max);
    if (higher === undefined)
      return {
        result: { ...body, transactions: transactionDetails === 'accounts' ? this.#accounts : transactions },
      };
    if (this.#isTerse) return { error: { code: -32015, message: 'Transaction version not supported' } };
    const message = `Transaction version (${String(higher.version)}) is not supported by the requesting client. Please try the request again with the following configuration parameter: "maxSupportedTransactionVersion": ${String(higher.version)}`;
    return { error: { code: -32015, message } };
  }
}

function fail(res: ServerResponse, failing: Failing): void {
  if (failing === 'late') return;
  if (failing === 'cut') res.socket!.destroy();
  else if (failing === 'limited') res.writeHead(429).end();
  else if (failing === 'busy')
    res.end(JSON.stringify({ jsonrpc: '2.0', error: { code: -32005, message: 'too many requests' } }));
  else {
    const chunk = Buffer.alloc(1 << 20, ' ');
    const flood = (): void => {
      while (!res.destroyed && res.write(chunk));
    };
    res.on('drain', flood);
    flood();
  }
}

/** The first signature of a transaction that is told by its accounts. */
function signatureOf({ transaction }: RawTransaction): string {
  return (transaction as RawAccounts).signatures[0]!;
}

/** A transaction as `transactionDetails: "accounts"` has it. */
export function toAccounts(raw: RawTransaction): RawTransaction {
  const { innerInstructions: _, loadedAddresses: _loaded, rewards: _rewards, ...meta } = raw.meta!;
  const tx = parseTransaction(raw);
  const accountKeys = Array.from({ length: tx.keyCount }, (_key, index) => ({
    pubkey: tx.keyAt(index),
    signer: index < tx.signatureCount,
    writable: isWritten(tx, index),
  }));
  return {
    meta,
    transaction: {
      signatures: Array.from({ length: tx.signatureCount }, (_signature, index) =>
        index === 0 ? tx.signature : `s${index}`,
      ),
      accountKeys,
    },
  };
}

/** By the three bytes of the message's header; what was looked up stands behind its own keys. */
function isWritten({ wire, signatureCount, meta }: ParsedTransaction, index: number): boolean {
  if (wire === undefined) return false;
  const [, fixedSigners, fixedOthers] = wire.message.subarray(wire.version === 'legacy' ? 0 : 1);
  if (index >= wire.keyCount) return index - wire.keyCount < (meta.loadedAddresses?.writable.length ?? 0);
  return index < signatureCount
    ? index < signatureCount - fixedSigners!
    : index < wire.keyCount - fixedOthers!;
}
