// SPDX-License-Identifier: Apache-2.0
import { once } from 'node:events';
import { startAnvil, waitFor, type AnvilHandle } from '@chainwatch/testing';
import { startIngestorRig, type IngestorRig } from '@chainwatch/data/testing';

const GID = 'eip155:31337';

let anvil: AnvilHandle;
let rig: IngestorRig;

beforeAll(async () => {
  anvil = await startAnvil({ args: ['--mixed-mining', '--block-time', '3600'] });
  rig = await startIngestorRig(new URL('./main.ts', import.meta.url), 'evm', [
    { gid: GID, endpointUrl: anvil.url },
  ]);
});

afterAll(async () => {
  await rig.stop();
  await anvil.stop();
});

const readState = async () =>
  (
    await rig.db.query<{ owner: string; token: number; head_number: number; head_hash: string }>(
      `SELECT o.owner, o.token, s.head_number, s.head_hash FROM ingestor_states s
       JOIN owners o ON o.kind = 'ingestor.evm' AND o.share = s.chain_gid WHERE s.chain_gid = $1`,
      [GID],
    )
  ).rows[0];

/** @param others owners before @returns whose it is now */
async function expectHead(others: readonly string[], timeoutMs: number): Promise<string> {
  const { number, hash } = await anvil.rpc<{ number: string; hash: string }>('eth_getBlockByNumber', [
    'latest',
    false,
  ]);
  let state: Awaited<ReturnType<typeof readState>>;
  await waitFor(
    async () => {
      state = await readState();
      return state !== undefined && !others.includes(state.owner) && state.head_hash === hash;
    },
    {
      timeoutMs,
      message: () =>
        `head ${Number(number)} by none of ${others.join(', ') || 'before'}, got ${JSON.stringify(state)}`,
    },
  );
  return state!.owner;
}

/** Distinct ones: each has connections of its own. */
const expectProcesses = (count: number): Promise<unknown> =>
  waitFor(
    async () =>
      Number(
        (
          await rig.db.query<{ count: string }>(
            `SELECT count(DISTINCT owner) FROM owner_beats WHERE kind = 'ingestor.evm' AND beat_until > clock_timestamp()`,
          )
        ).rows[0]!.count,
      ) >= count,
    { message: `${count} processes` },
  );

describe('block-ingestor-evm', () => {
  it('follows the chain in its own process, and a second one takes over within 10 s of a kill', async () => {
    const first = await rig.start();
    const firstOwner = await expectHead([], 20_000);
    const second = await rig.start();
    await expectProcesses(2);
    await anvil.mine(5);
    expect(await expectHead([], 5_000)).toBe(firstOwner);
    first.kill('SIGKILL');
    await anvil.mine(5);
    await waitFor(async () => (await readState())?.owner !== firstOwner, {
      timeoutMs: 10_000,
      message: 'the second one to own the chain',
    });
    const secondOwner = await expectHead([firstOwner], 5_000);
    expect(Number((await readState())?.token)).toBe(2);

    // A stop in order ends the lease at once.
    await rig.start();
    await expectProcesses(2);
    second.kill('SIGTERM');
    expect(await once(second, 'exit')).toEqual([0, null]);
    await anvil.mine(1);
    await expectHead([firstOwner, secondOwner], 4_000);
    const feed = await rig.readFeed();
    expect(feed.map(({ seq }) => seq)).toEqual(feed.map((_, position) => position + 1));
  });
});
