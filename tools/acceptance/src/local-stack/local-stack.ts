// SPDX-License-Identifier: Apache-2.0
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient, type Chainwatch } from '@chainwatch/sdk';
import { findFreePort } from '@chainwatch/testing';
import { startBcoin, type BcoinHandle } from '@chainwatch/tool-devnet/start-bcoin';
import { fundWallet } from '../../../devnet/bitcoin/index.ts';
import { BITCOIN_CHAIN } from '../../../devnet/bitcoin/local-node.ts';
import { startPlayground } from '../../../stack/src/playground/start-playground.ts';
import { bootstrap, type Bootstrap } from '../../../db/src/bootstrap.ts';
import { EvmChain } from '../evm/evm-chain.ts';
import { Harness } from '../harness.ts';

/** What `npm start` is for a newcomer: all services, an Ethereum chain with a block each second, a Bitcoin chain, the stack file. */
export class LocalStack {
  readonly harness = new Harness(new EvmChain({ epochBlocks: 2 }), {
    env: {
      MEMPOOL_POLL: '200ms',
      MEMPOOL_GRACE: '5s',
      WEBHOOK_PROBE_INTERVAL: '500ms',
      // Longer than a program of a customer takes to start five times, on a slow machine too.
      WEBHOOK_RETRY_SCHEDULE: `0,200ms,1s${',5s'.repeat(97)}`,
    },
  });
  bitcoin!: BcoinHandle;
  /** Has `.chainwatch/stack.json`. */
  folder = '';
  #playground: Server | undefined;

  async start(): Promise<void> {
    const [bitcoin] = await Promise.all([startBcoin({ hasCoinScan: true }), this.harness.start()]);
    this.bitcoin = bitcoin;
    const { project, services, chain, apiUrl, db } = this.harness;
    await chain.rpc('evm_setIntervalMining', [1]);
    await fundWallet(bitcoin);
    await services.start(['block-ingestor-bitcoin']);
    await project.expect(201, { method: 'POST', path: '/blockchains', body: { chain_gid: BITCOIN_CHAIN } });
    await project.expect(200, {
      method: 'PATCH',
      path: `/blockchains/${BITCOIN_CHAIN}/bitcoin`,
      body: {
        endpoint_url: bitcoin.url,
      },
    });
    await project.expect(200, { method: 'POST', path: `/blockchains/${BITCOIN_CHAIN}/actions/activate` });
    await this.harness.until('the Bitcoin chain to be followed', 60_000, async () => {
      const { sync } = await project.get<{ sync: { status: string } }>(`/blockchains/${BITCOIN_CHAIN}`);
      return sync.status === 'following';
    });
    const { keys } = await bootstrap(db, { label: 'svc' });
    this.folder = mkdtempSync(join(tmpdir(), 'stack-'));
    mkdirSync(join(this.folder, '.chainwatch'));
    const nodeUrls = {
      [chain.gid]: { endpoint_url: chain.url },
      [BITCOIN_CHAIN]: { endpoint_url: bitcoin.url },
    };
    const port = await findFreePort();
    this.#playground = await startPlayground({ port, origin: new URL(apiUrl).origin, nodeUrls });
    const stack = { api_url: apiUrl, playground_url: `http://127.0.0.1:${port}`, keys };
    writeFileSync(join(this.folder, '.chainwatch', 'stack.json'), JSON.stringify(stack));
  }

  async stop(): Promise<void> {
    this.#playground?.close();
    await this.harness.stop();
    await this.bitcoin?.stop();
    if (this.folder !== '') rmSync(this.folder, { recursive: true, force: true });
  }

  /** A project of its own for an example, and how the example is told of it. */
  async createProject(): Promise<Bootstrap & { client: Chainwatch; env: Record<string, string> }> {
    const made = await bootstrap(this.harness.db, { label: 'svc' });
    const { apiUrl } = this.harness;
    return {
      ...made,
      client: createClient({ baseUrl: apiUrl, apiKey: made.keys.api }),
      env: { CHAINWATCH_API_URL: apiUrl, CHAINWATCH_API_KEY: made.keys.api },
    };
  }

  /** From the local chain's first account; the next block has it. */
  pay(to: string, wei: bigint): Promise<string> {
    const { actor } = this.harness.chain;
    return actor.sendEther(actor.accounts[0]!, to as `0x${string}`, wei);
  }
}
