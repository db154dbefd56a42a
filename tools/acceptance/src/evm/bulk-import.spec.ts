// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { findDisagreements } from '../compare.ts';
import { Harness } from '../harness.ts';
import type { Project } from '../project.ts';
import { freePort } from '../services.ts';
import type { Watched } from '../test-chain.ts';
import { EvmChain } from './evm-chain.ts';

type Hex = `0x${string}`;

const COUNT = 5_000;
/** Addresses that are paid in every block: some of each chunk of a thousand. */
const PAID = 40;

interface Item {
  readonly status: string;
  readonly address: { readonly address: string; readonly watched_from: Record<string, number> };
}

describe('a bulk import', () => {
  const harness = new Harness(new EvmChain());
  beforeAll(() => harness.start());
  afterAll(() => harness.stop());

  it('misses no payment in the blocks around it, by two replicas at once of which one is killed midway', async () => {
    const { actor, gid } = harness.chain;
    const port = await freePort();
    await harness.services.start(['api-gateway-2'], { PORT: String(port) });
    const other = harness.project.at(`http://127.0.0.1:${port}/v1`);
    const values = Array.from({ length: COUNT }, () => `0x${randomBytes(20).toString('hex')}` as Hex);
    const paid = Array.from({ length: PAID }, (_, n) => values[Math.floor((n * COUNT) / PAID)]!);
    const send = async (project: Project, list: readonly Hex[]): Promise<Item[]> => {
      const body = { chain_family: 'evm', addresses: list.map((value) => ({ value })) };
      const answer = await project.request('POST', '/addresses/external/batch', body);
      expect(answer.status).toBe(200);
      return (answer.body as { items: Item[] }).items;
    };

    let isDone = false;
    const mining = (async () => {
      for (let round = 0; !isDone || round < 4; round += 1) {
        for (const [n, to] of paid.entries()) {
          await actor.sendEther(actor.accounts[n % 5]!, to, BigInt(1_000 * round + n + 1));
          // Often enough that some blocks come between the chunks, however slow the machine is.
          if (n % 5 === 4) await actor.mine();
        }
      }
    })();
    const imports = Promise.all([send(harness.project, values), send(other, [...values].reverse())]);
    await harness.until('a part to be imported', 60_000, async () => {
      const { rows } = await harness.db.query('SELECT count(*) AS count FROM addresses');
      return rows[0].count > 0;
    });
    await harness.services.restart('api-gateway-2');
    const [one, two] = await imports;
    isDone = true;
    await mining;

    // Sent again until it is answered, so both tell of every address.
    const byAddress = new Map(one.map(({ address }) => [address.address.toLowerCase(), address]));
    expect(byAddress.size).toBe(COUNT);
    for (const { address } of two) expect(byAddress.get(address.address.toLowerCase())).toEqual(address);
    const watched = paid.map((value): Watched => {
      const { address, watched_from } = byAddress.get(value)!;
      return { address, fromBlock: watched_from[gid]! };
    });
    expect(new Set(watched.map(({ fromBlock }) => fromBlock)).size).toBeGreaterThan(1);
    await harness.settle(240_000);
    expect(await findDisagreements(harness, harness.project, watched)).toEqual([]);
    const { rows } = await harness.db.query(
      'SELECT count(*) AS addresses, (SELECT count(*) FROM address_watches) AS watches FROM addresses',
    );
    expect(rows).toEqual([{ addresses: COUNT, watches: COUNT }]);
  }, 400_000);
});
