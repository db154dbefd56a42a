// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import { waitFor, type PostgresHandle } from '@chainwatch/testing';
import { network, TOKEN } from '@chainwatch/data/testing';
import { codec, utxoNetwork } from './spec-world/spec-utxo-chain.ts';
import { SpecWorld, type SpecWorldOptions } from './spec-world/spec-world.ts';

let postgres: PostgresHandle;
let world: SpecWorld;
beforeAll(async () => {
  postgres = await SpecWorld.postgres();
});
afterAll(() => postgres.stop());
afterEach(() => world.stop());

/** What fails is stalled at once, and is said at once. */
async function start(options: SpecWorldOptions = {}): Promise<void> {
  world = await SpecWorld.start(postgres, { stalledAfterMs: 0, beatMs: 20, ...options });
}
const readState = async () =>
  (
    await world.rows<{ status: string; worker_reason: string | null }>(
      'SELECT status, worker_reason FROM analyzer_states',
    )
  )[0];
const untilReason = (reason: string | null) =>
  waitFor(async () => (await readState())?.worker_reason === reason, {
    timeoutMs: 20_000,
    message: `${reason}`,
  });
const readCheck = async (worker: string) =>
  (await world.analyzer!.readiness())[`worker ${worker} ${world.gid}`];
const INTERNAL = 'an internal fault, the log of the service tells more';
const UTXO: SpecWorldOptions = { of: { network: utxoNetwork, utxo: codec } };

it.each([
  ['history', 'address_histories', {}],
  ['backfill', 'address_backfills', UTXO],
  ['reprocess', 'reprocesses', {}],
  ['witnesses', 'unproved_transactions', {}],
] as const)(
  'says that the worker %s does nothing but fail, and that it recovered',
  async (worker, table, options) => {
    await start(options);
    await world.db.query(`ALTER TABLE ${table} RENAME TO gone`);
    world.startAnalyzer();
    await untilReason(`${worker}: ${INTERNAL}`);
    expect(await readCheck(worker)).toEqual({ ok: true, status: 'stalled', reason: INTERNAL });
    // Blocks go on.
    expect((await readState())?.status).not.toBe('stalled');
    await world.db.query(`ALTER TABLE gone RENAME TO ${table}`);
    await untilReason(null);
    expect(await readCheck(worker)).toBeUndefined();
  },
);

it('says that the worker evidence does nothing but fail, and that it recovered', async () => {
  await start({ of: { network: { ...network, evidenceDelayMs: 40 } } });
  await world.db.query('ALTER TABLE analyzer_states RENAME COLUMN settled_number TO gone');
  world.startAnalyzer();
  await untilReason(`evidence: ${INTERNAL}`);
  expect(await readCheck('evidence')).toEqual({ ok: true, status: 'stalled', reason: INTERNAL });
  await world.db.query('ALTER TABLE analyzer_states RENAME COLUMN gone TO settled_number');
  await untilReason(null);
  expect(await readCheck('evidence')).toBeUndefined();
});

it('says that no token can be read', async () => {
  await start();
  let isDown = true;
  const open = world.chain.client.bind(world.chain);
  world.chain.client = () => {
    const fault = new ChainClientError('spec: eth_call is not allowed');
    const client = open();
    return Object.assign(client, {
      readTokens: () => (isDown ? Promise.reject(fault) : Promise.resolve([undefined])),
      readHead: () => (isDown ? Promise.reject(fault) : Promise.resolve({})),
    });
  };
  await world.db.query(
    `INSERT INTO assets (gid, chain_gid, namespace, reference, type, status) VALUES ($1, $2, 'erc20', '0x', 'fungible', 'unknown')`,
    [TOKEN, world.gid],
  );
  world.startAnalyzer();
  await untilReason('assets: spec: eth_call is not allowed');
  // It is asked about later, and nothing else is to be done meanwhile: that is no recovery.
  const [first] = await world.rows<{ at: Date }>('SELECT updated_at AS at FROM analyzer_states');
  await waitFor(
    async () =>
      (await world.rows<{ at: Date }>('SELECT updated_at AS at FROM analyzer_states'))[0]!.at.getTime() >
      first!.at.getTime() + 1_500,
  );
  expect((await readState())?.worker_reason).toBe('assets: spec: eth_call is not allowed');
  isDown = false;
  await world.db.query('UPDATE assets SET next_attempt_at = now()');
  await untilReason(null);
});
