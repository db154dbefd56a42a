// SPDX-License-Identifier: Apache-2.0
import { verifyTransaction, type Proof } from '@chainwatch/verify';
import { EvmChain } from '../evm/evm-chain.ts';
import { Harness } from '../harness.ts';
import { Receiver } from '../receiver.ts';

interface Told {
  readonly type: string;
  readonly data: {
    readonly transaction: { readonly hash: string };
    readonly proof?: { readonly type: string };
  };
}

describe('proofs in deliveries, by the real services', () => {
  const harness = new Harness(new EvmChain({ epochBlocks: 4 }));
  const receivers = { inline: new Receiver(), link: new Receiver() };
  beforeAll(async () => {
    await Promise.all([harness.start(), ...Object.values(receivers).map((one) => one.start())]);
    for (const [mode, receiver] of Object.entries(receivers)) {
      const { body } = await harness.project.request('POST', '/notification_channels/webhook', {
        name: mode,
        url: receiver.url,
        include_proof: mode,
      });
      expect(body).toMatchObject({ config: { include_proof: mode } });
      receiver.secrets.set(harness.project.id, (body as { webhook_secret: string }).webhook_secret);
    }
  });
  afterAll(async () => {
    await Promise.all([harness.stop(), ...Object.values(receivers).map((one) => one.stop())]);
  });

  const told = ({ events }: Receiver): Told[] =>
    [...events.values()].map(({ body }) => body as unknown as Told);

  it('show a payment to a receiver that trusts the hash of its block alone, and link to the same', async () => {
    const [from, to] = harness.chain.actor.accounts;
    await harness.watch(to!);
    await harness.chain.actor.sendEther(from!, to!, 7n);
    await harness.chain.actor.mine();
    await harness.waitForCursor();
    await harness.settle();
    for (const receiver of Object.values(receivers))
      await harness.until('both events', 60_000, async () => told(receiver).length === 2);
    for (const { data } of told(receivers.inline)) {
      const proof = data.proof as unknown as Proof;
      const { blockHash } = await harness.chain.rpc<{ blockHash: string }>('eth_getTransactionReceipt', [
        data.transaction.hash,
      ]);
      expect(await verifyTransaction(proof, { trustedBlockHash: blockHash })).toMatchObject({
        hash: data.transaction.hash,
        transfers: [{ type: 'native', to: to!.toLowerCase(), amountRaw: 7n }],
      });
    }
    for (const { data } of told(receivers.link)) {
      const url = `/v1/transactions/${harness.chain.gid}/${data.transaction.hash}/proof`;
      expect(data.proof).toEqual({ type: 'link', url });
      const [shown] = told(receivers.inline);
      expect(await harness.project.get(url.replace('/v1', ''))).toMatchObject(shown!.data.proof!);
    }
    // The others get events as they are.
    for (const { data } of told(harness.receiver)) expect(data.proof).toBeUndefined();
  });
});
