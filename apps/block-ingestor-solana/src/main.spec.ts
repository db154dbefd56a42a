// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { waitFor } from '@chainwatch/testing';
import { startIngestorRig, type IngestorRig } from '@chainwatch/data/testing';
import { startSolana, type SolanaHandle } from '@chainwatch/tool-devnet/start-solana';

let node: SolanaHandle;
let rig: IngestorRig;

beforeAll(async () => {
  node = await startSolana();
  rig = await startIngestorRig(new URL('./main.ts', import.meta.url), 'solana', [
    { gid: 'solana:localnet', endpointUrl: node.url },
  ]);
});

afterAll(async () => {
  await rig.stop();
  await node.stop();
});

describe('block-ingestor-solana', () => {
  it('follows slots, those that nobody used, finality and a fork, and stops in order', async () => {
    const service = await rig.start();
    await rig.waitForHead((await node.produce(2)).blockhash);
    await node.skip(3);
    const first = await node.produce();
    await rig.waitForHead(first.blockhash);
    const orphans = [await node.produce(), await node.produce()];
    await rig.waitForHead(orphans[1]!.blockhash);
    await node.fork(2);
    const head = await node.produce(40);
    await rig.waitForHead(head.blockhash);
    await waitFor(
      async () =>
        (await rig.readFeed()).some(({ type, number }) => type === 'finalize' && number >= first.slot),
      { message: 'finality' },
    );
    const feed = await rig.readFeed();
    expect(feed.filter(({ type }) => type === 'reorg').map(({ hash }) => hash)).toEqual([
      orphans[1]!.blockhash,
      orphans[0]!.blockhash,
    ]);
    const followed = feed.filter(({ type }) => type === 'block');
    expect(followed.at(-1)).toMatchObject({ number: head.slot, hash: head.blockhash });
    // A slot without a block is no entry.
    const before = followed.findIndex(({ hash }) => hash === first.blockhash) - 1;
    expect(first.slot - followed[before]!.number).toBe(4);
    service.kill('SIGTERM');
    expect(await once(service, 'exit')).toEqual([0, null]);
  });
});
