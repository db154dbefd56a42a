import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { parseTransaction } from './parse-transaction.ts';
import type { RawAccounts, RawTransaction } from './raw-block.ts';
import { SolanaClient } from './solana-client.ts';
import { devnet, type RecordedBlock } from './spec-fixtures.ts';

interface Config {
  readonly transactionDetails: 'full' | 'accounts' | 'signatures' | 'none';
  readonly maxSupportedTransactionVersion: number;
}

/** A node with one block, whose transactions have the versions that they state. It answers as agave does. */
export class SpecNode {
  asked: string[] = [];
  client!: SolanaClient;
  #server!: Server;
  #block!: RecordedBlock;
  #accounts!: readonly RawTransaction[];
  #extra: object = {};
  #isTerse = false;

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
    }: { accounts?: readonly RawTransaction[]; extra?: object; isTerse?: boolean } = {},
  ): this {
    this.client?.close();
    this.client = new SolanaClient({
      network: devnet,
      endpointUrl: `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`,
    });
    this.asked = [];
    this.#block = block;
    this.#accounts = accounts;
    this.#extra = extra;
    this.#isTerse = isTerse;
    return this;
  }

  stop(): void {
    this.client.close();
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

/** The first signature of a transaction that is told by its accounts. */
function signatureOf({ transaction }: RawTransaction): string {
  return (transaction as RawAccounts).signatures[0]!;
}

/** A transaction as `transactionDetails: "accounts"` has it. */
export function toAccounts(raw: RawTransaction): RawTransaction {
  const { innerInstructions: _, loadedAddresses: _loaded, rewards: _rewards, ...meta } = raw.meta!;
  const tx = parseTransaction(raw);
  const accountKeys = Array.from({ length: tx.keyCount }, (_key, index) => ({ pubkey: tx.keyAt(index) }));
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
