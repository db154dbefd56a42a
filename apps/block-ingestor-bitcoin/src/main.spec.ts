// SPDX-License-Identifier: Apache-2.0
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { waitFor } from '@chainwatch/testing';
import { startIngestorRig, type IngestorRig } from '@chainwatch/data/testing';
import { startBcoin, type BcoinHandle } from '@chainwatch/tool-devnet/start-bcoin';

const GID = 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328';
const OTHER_CHAIN = 'bip122:00000000da84f2bafbbc53dee25a72ae';

let node: BcoinHandle;
let rig: IngestorRig;
let service: ChildProcess;

beforeAll(async () => {
  node = await startBcoin();
  const endpointUrl = node.url;
  rig = await startIngestorRig(new URL('./main.ts', import.meta.url), 'bitcoin', [
    { gid: GID, endpointUrl },
    { gid: OTHER_CHAIN, endpointUrl },
  ]);
  service = await rig.start();
});

afterAll(async () => {
  await rig.stop();
  await node.stop();
});

const waitForHead = async (): Promise<void> => rig.waitForHead(await node.call<string>('getbestblockhash'));

describe('block-ingestor-bitcoin', () => {
  it('follows a regtest node through new blocks, confirmations by depth and a reorg', async () => {
    await waitForHead();
    const from = await node.readHeight();
    const mined = await node.mine(6);
    await waitForHead();
    await waitFor(
      async () =>
        (await rig.readFeed()).some(({ type, number }) => type === 'finalize' && number >= from + 4),
      { message: 'finality by depth' },
    );
    const finalized = (await rig.readFeed())
      .filter(({ type }) => type === 'finalize')
      .map(({ number }) => number);
    // Depth 3, the block's own included: of 6 blocks the fourth is the last one final.
    expect(Math.max(...finalized)).toBe(from + 4);

    const replacing = await node.reorg({ depth: 2 });
    await waitForHead();
    const feed = await rig.readFeed();
    expect(feed.filter(({ type }) => type === 'reorg').map(({ hash }) => hash)).toEqual([mined[5], mined[4]]);
    expect(
      feed
        .filter(({ type }) => type === 'block')
        .slice(-3)
        .map(({ hash }) => hash),
    ).toEqual(replacing);
  });

  it('does not follow a node of another network', async () => {
    await waitFor(async () => /another chain/.test((await rig.readState(OTHER_CHAIN))?.reason ?? ''), {
      message: 'the reason',
    });
    const { rowCount } = await rig.db.query('SELECT 1 FROM chain_feed WHERE chain_gid = $1', [OTHER_CHAIN]);
    expect(rowCount).toBe(0);
  });

  it('stops in order', async () => {
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
  });
});
