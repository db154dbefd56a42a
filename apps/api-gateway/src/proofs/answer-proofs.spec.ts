import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { startAnvil, waitFor, type AnvilHandle } from '@chainwatch/testing';
import { verifyTransaction, type Proof } from '@chainwatch/verify';
import { answerProofs } from './answer-proofs.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';

const gid = 'eip155:31337';
const payee = `0x${'a1'.repeat(20)}`;

/** Its node takes requests and answers none. */
const stuckGid = 'eip155:1';
const nodelessGid = 'eip155:10';

let world: SpecWorld;
let node: AnvilHandle;
let hanging: Server;
let stopAnswering: () => Promise<void>;
beforeAll(async () => {
  hanging = createServer(() => undefined).listen(0, '127.0.0.1');
  await once(hanging, 'listening');
  const url = `http://127.0.0.1:${(hanging.address() as AddressInfo).port}`;
  [world, node] = await Promise.all([
    startSpecWorld({ settings: { chainEndpoints: { [stuckGid]: [url] }, nodeTimeoutMs: 120_000 } }),
    startAnvil(),
  ]);
  for (const chain of [gid, stuckGid, nodelessGid])
    await world.api.post('/blockchains').send({ chain_gid: chain }).expect(201);
  await world.api.patch(`/blockchains/${gid}/evm`).send({ endpoint_url: node.url }).expect(200);
  stopAnswering = answerProofs({ ...world.deps, logger: { warn: () => undefined }, pauseMs: 20 });
});
afterAll(async () => {
  hanging.closeAllConnections();
  hanging.close();
  await stopAnswering();
  await node.stop();
  await world.stop();
});

interface Mined {
  readonly hash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
}

async function pay(): Promise<Mined> {
  const [from] = await node.rpc<[string]>('eth_accounts');
  const hash = await node.rpc<string>('eth_sendTransaction', [{ from, to: payee, value: '0x7' }]);
  const { blockNumber, blockHash } = await waitFor(() =>
    node.rpc<{ blockHash: string; blockNumber: string } | null>('eth_getTransactionReceipt', [hash]),
  );
  return { hash, blockHash, blockNumber: Number(blockNumber) };
}

async function request({ hash, blockNumber, blockHash }: Mined, chainGid = gid): Promise<string> {
  const eventId = randomUUID();
  await world.db.query(
    'INSERT INTO proof_requests (event_id, chain_gid, transaction_hash, block_number, block_hash) VALUES ($1, $2, $3, $4, $5)',
    [eventId, chainGid, hash, blockNumber, blockHash],
  );
  return eventId;
}

async function waitForAnswer(eventId: string): Promise<string | null> {
  const { proof } = await waitFor(async () => {
    const { rows } = await world.db.query<{ proof: string | null }>(
      'SELECT proof FROM proof_requests WHERE event_id = $1 AND answered_at IS NOT NULL',
      [eventId],
    );
    return rows[0];
  });
  return proof;
}

it('answers with the proof itself', async () => {
  const mined = await pay();
  const proof = JSON.parse((await waitForAnswer(await request(mined)))!) as Proof;
  expect(proof).toMatchObject({ type: 'mpt', chain_gid: gid, hash: mined.hash });
  expect(await verifyTransaction(proof, { trustedBlockHash: mined.blockHash })).toMatchObject({
    transfers: [{ type: 'native', to: payee, amountRaw: 7n }],
  });
});

it('answers with none for a chain without a node, and for a block that no node has', async () => {
  const mined = await pay();
  expect(await waitForAnswer(await request(mined, nodelessGid))).toBeNull();
  expect(await waitForAnswer(await request({ ...mined, blockHash: `0x${'12'.repeat(32)}` }))).toBeNull();
});

it('asks a chain’s nodes for four at once, and answers for others meanwhile', async () => {
  const mined = await pay();
  const stuck = await Promise.all(Array.from({ length: 20 }, () => request(mined, stuckGid)));
  const countTaken = async (): Promise<number> => {
    const { rows } = await world.db.query(
      'SELECT FROM proof_requests WHERE event_id = ANY($1::uuid[]) AND taken_until IS NOT NULL',
      [stuck],
    );
    return rows.length;
  };
  await waitFor(async () => (await countTaken()) === 4);
  for (let count = 0; count < 5; count += 1) expect(await waitForAnswer(await request(mined))).not.toBeNull();
  expect(await countTaken()).toBe(4);
});

it('leaves what nobody waits for any more', async () => {
  const mined = await pay();
  const old = randomUUID();
  await world.db.query(
    `INSERT INTO proof_requests (event_id, chain_gid, transaction_hash, block_number, block_hash, requested_at)
     VALUES ($1, $2, $3, $4, $5, now() - interval '1 min')`,
    [old, gid, mined.hash, mined.blockNumber, mined.blockHash],
  );
  await waitForAnswer(await request(mined));
  const { rows } = await world.db.query('SELECT answered_at FROM proof_requests WHERE event_id = $1', [old]);
  expect(rows).toEqual([{ answered_at: null }]);
});
