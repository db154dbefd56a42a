// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { waitFor } from '@chainwatch/testing';
import { startIngestorRig, type IngestorRig } from '@chainwatch/data/testing';
import { startTron, type TronHandle } from '@chainwatch/tool-devnet/start-tron';

let tron: TronHandle;
let rig: IngestorRig;

beforeAll(async () => {
  tron = await startTron({ solidifiedLag: 2 });
  rig = await startIngestorRig(new URL('./main.ts', import.meta.url), 'tron', [
    { gid: 'tron:0x7a69', endpointUrl: tron.url, otherUrls: { evm: tron.evmUrl } },
  ]);
});

afterAll(async () => {
  await rig.stop();
  await tron.stop();
});

const waitForHead = (): Promise<void> => rig.waitForHead(tron.node.head.id);

describe('block-ingestor-tron', () => {
  it('follows blocks, the solidified one and a reorg, and stops in order', async () => {
    const service = await rig.start();
    await waitForHead();
    await tron.node.mine(6);
    await waitForHead();
    await waitFor(
      async () =>
        (await rig.readFeed()).some(
          ({ type, number }) => type === 'finalize' && number === tron.node.solidified.number,
        ),
      { message: 'the solidified block' },
    );
    const orphans = [0, 1].map((back) => tron.node.findBlock(tron.node.head.number - back)!.id);
    await tron.node.reorg(2);
    await tron.node.mine(3);
    await waitForHead();
    const feed = await rig.readFeed();
    expect(feed.filter(({ type }) => type === 'reorg').map(({ hash }) => hash)).toEqual(orphans);
    expect(feed.filter(({ type }) => type === 'block').at(-1)?.hash).toBe(tron.node.head.id);
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
  });
});
