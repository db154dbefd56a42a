// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { EvmChain } from '../evm/evm-chain.ts';
import { findDisagreements } from '../compare.ts';
import { Harness } from '../harness.ts';
import type { ServiceName } from '../services.ts';
import type { Watched } from '../test-chain.ts';
import { holdLock, type HeldLock } from './hold-lock.ts';

/** A replica that stands still with open connections, as a host without power looks from outside, takes nothing with it. */
const SERVICES = ['block-ingestor-evm', 'tx-analyzer', 'balance-service'] as const;
type Owning = (typeof SERVICES)[number];

/** Every service in every way; else each in the worst way, and one of them without any replica. */
const isSoak = process.env['SOAK'] === '1';

/** More than the 10 s in which a dead owner's share moves: a slow machine fails nothing, a share that stays fails. */
const TAKE_OVER_MS = 30_000;

const chain = new EvmChain({ epochBlocks: 8 });
const harness = new Harness(chain);
const CHECK = `chain ${chain.gid}`;
let watched: Watched[];

beforeAll(async () => {
  await harness.start();
  await harness.services.start(SERVICES.map((name) => `${name}-2` as const));
  watched = [await harness.watch(chain.payee)];
  await pay();
  await harness.waitForCursor();
});
afterAll(() => harness.stop());

async function pay(blocks = 1): Promise<void> {
  await chain.payPayee();
  await chain.mine(blocks);
}

const replicasOf = (service: Owning): readonly ServiceName[] => [service, `${service}-2`];

async function statusOf(name: ServiceName): Promise<string | undefined> {
  return (await harness.services.readiness(name)).checks[CHECK]?.status;
}

/** The replica that says that the chain is its own. */
function findOwner(service: Owning, among = replicasOf(service)): Promise<ServiceName> {
  return waitFor(
    async () => {
      for (const name of among)
        if (!['standby', 'unknown', undefined].includes(await statusOf(name))) return name;
      return undefined;
    },
    { timeoutMs: TAKE_OVER_MS, message: `an owner of the chain among ${among.join(', ')}` },
  );
}

/** Who the database says owns the chain. */
async function readOwner(service: Owning): Promise<string> {
  const statements = {
    'block-ingestor-evm': `SELECT owner || ' ' || token AS owner FROM owners WHERE kind = 'ingestor.evm' AND share = $1`,
    'tx-analyzer': `SELECT owner || ' ' || token AS owner FROM owners WHERE kind = 'analyzer' AND share = $1`,
    'balance-service': `SELECT owner || ' ' || token AS owner FROM owners WHERE kind = 'balances' AND share = $1`,
  };
  return (await harness.db.query<{ owner: string }>(statements[service], [chain.gid])).rows[0]!.owner;
}

/** Until it waits in an open transaction, for a lock of ours, while it holds the row that says whose the chain is. */
async function stopInTransaction(service: Owning): Promise<ServiceName> {
  const owner = await findOwner(service);
  const locks: Record<Owning, () => Promise<HeldLock>> = {
    // Blocks refer to the chain's row. An ingestor commits in one statement, which ends by itself when we let go.
    'block-ingestor-evm': () =>
      holdLock(harness.postgres.url, 'SELECT 1 FROM blockchains WHERE gid = $1 FOR UPDATE', [chain.gid]),
    'tx-analyzer': () =>
      holdLock(harness.postgres.url, 'SELECT 1 FROM project_sequences WHERE chain_gid = $1 FOR UPDATE', [
        chain.gid,
      ]),
    'balance-service': () =>
      holdLock(harness.postgres.url, 'SELECT 1 FROM balances WHERE chain_gid = $1 FOR UPDATE', [chain.gid]),
  };
  const lock = await locks[service]();
  try {
    await pay(service === 'block-ingestor-evm' ? 5 : 1);
    await lock.waitForWaiter(service);
    harness.services.signal(owner, 'SIGSTOP');
  } finally {
    await lock.release();
  }
  return owner;
}

async function stopIdle(service: Owning): Promise<ServiceName> {
  await harness.waitForCursor();
  const owner = await findOwner(service);
  harness.services.signal(owner, 'SIGSTOP');
  return owner;
}

describe.each(SERVICES)('%s', (service) => {
  it.each([
    ['inside of a transaction', stopInTransaction] as const,
    ...(isSoak ? ([['outside of a transaction', stopIdle]] as const) : []),
  ])(
    'stopped %s is replaced by another replica within 10 s, and writes nothing when it goes on',
    async (_, stop) => {
      const stopped = await stop(service);
      const before = await readOwner(service);
      const [other] = replicasOf(service).filter((name) => name !== stopped);
      try {
        await pay();
        expect(await findOwner(service, [other!])).toBe(other);
        // Everything goes on, all the way to the balances.
        await harness.settle(TAKE_OVER_MS);
        expect(await readOwner(service)).not.toBe(before);
      } finally {
        harness.services.signal(stopped, 'SIGCONT');
      }
      const owner = await readOwner(service);
      await waitFor(async () => (await statusOf(stopped)) === 'standby', {
        timeoutMs: TAKE_OVER_MS,
        message: `${stopped} to stand by`,
      });
      await pay();
      await harness.settle();
      expect([await readOwner(service), await statusOf(other!)]).toEqual([owner, 'following']);
      expect(
        await findDisagreements(
          harness,
          harness.project,
          await harness.readWatched(harness.project, watched),
        ),
      ).toEqual([]);
    },
  );
});

describe('a chain without a live owner', () => {
  const readSync = async (): Promise<{ status: string; reason: string | null }> =>
    (
      await harness.project.get<{ sync: { status: string; reason: string | null } }>(
        `/blockchains/${chain.gid}`,
      )
    ).sync;

  it.each<Owning>(isSoak ? SERVICES : ['tx-analyzer'])(
    'is unknown in the API, in /readyz and in the metrics, and not followed: all of %s are gone',
    async (service) => {
      await waitFor(async () => (await readSync()).status === 'following', { timeoutMs: TAKE_OVER_MS });
      for (const name of replicasOf(service)) await harness.services.kill(name);
      const reason = expect.stringContaining(
        `the ${service.replace('-evm', '')} has not reported since`,
      ) as string;
      await waitFor(async () => (await readSync()).status === 'unknown', { message: 'the API to say so' });
      expect(await readSync()).toMatchObject({ status: 'unknown', reason });
      await waitFor(async () => (await statusOf('api-gateway')) === 'unknown', {
        message: '/readyz to say so',
      });
      expect(await harness.services.readiness('api-gateway')).toMatchObject({
        status: 200,
        checks: { [CHECK]: { ok: true, status: 'unknown', reason } },
      });
      expect(await harness.services.metrics('api-gateway')).toMatch(
        new RegExp(`chainwatch_chain_stalled_status\\{[^}]*chain_gid="${chain.gid}"[^}]*\\} 1`),
      );
      for (const name of replicasOf(service)) await harness.services.restart(name);
      await waitFor(async () => (await readSync()).status === 'following', {
        message: 'the chain to be followed again',
      });
    },
  );
});
