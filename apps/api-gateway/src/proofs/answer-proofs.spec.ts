// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { startAnvil, waitFor, type AnvilHandle } from '@chainwatch/testing';
import { verifyTransaction, type Proof } from '@chainwatch/verify';
import { answerProofs } from './answer-proofs.ts';
import { startSpecWorld, type SpecWorld } from '../spec-support/spec-world.ts';
import { startNode, type SpecNode } from '../spec-support/start-node.ts';

const gid = 'eip155:31337';
const payee = `0x${'a1'.repeat(20)}`;

/** Its node takes requests and answers none. */
const stuckGid = 'eip155:1';
const nodelessGid = 'eip155:10';

let world: SpecWorld;
let node: AnvilHandle;
/** In front of it. */
let slow: SpecNode;
let delayMs = 0;
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
  slow = await startNode(async ({ method, params }) => {
    if (method === 'eth_getBlockByHash') await delay(delayMs);
    return { result: await node.rpc(method, params) };
  });
  await world.api.patch(`/blockchains/${gid}/evm`).send({ endpoint_url: slow.url }).expect(200);
  stopAnswering = answerProofs({ ...world.deps, logger: { warn: () => undefined }, pauseMs: 20 });
});
afterAll(async () => {
  hanging.closeAllConnections();
  hanging.close();
  await stopAnswering();
  slow.stop();
  await node.stop();
  await world.stop();
});

interface Mined {
  readonly hash: string;
  readonly blockNumber: number;
  readonly blockHash: string;
}

async function pay(): Promise<Mined> {
  return findMined(await send());
}

async function send(): Promise<string> {
  const [from] = await node.rpc<[string]>('eth_accounts');
  return node.rpc<string>('eth_sendTransaction', [{ from, to: payee, value: '0x7' }]);
}

async function findMined(hash: string): Promise<Mined> {
  const { blockNumber, blockHash } = await waitFor(() =>
    node.rpc<{ blockHash: string; blockNumber: string } | null>('eth_getTransactionReceipt', [hash]),
  );
  return { hash, blockHash, blockNumber: Number(blockNumber) };
}

/** Of events of projects, in one statement. */
async function requestAll(wanted: readonly [Mined, projectId: string][], chainGid = gid): Promise<string[]> {
  const ids = wanted.map(() => randomUUID());
  await world.db.query(
    `INSERT INTO event_log (event_id, project_id, chain_gid, type, sequence, subject_kind, payload)
     SELECT id, project, $3, 'transaction.detected', (SELECT count(*) FROM event_log) + row_number() OVER (), 'tx.detected', '{}'
     FROM unnest($1::uuid[], $2::uuid[]) AS u (id, project)`,
    [ids, wanted.map(([, projectId]) => projectId), chainGid],
  );
  await world.db.query(
    `INSERT INTO proof_requests (event_id, chain_gid, transaction_hash, block_number, block_hash)
     SELECT id, $5, hash, number, block FROM unnest($1::uuid[], $2::text[], $3::int[], $4::text[]) AS u (id, hash, number, block)`,
    [
      ids,
      wanted.map(([{ hash }]) => hash),
      wanted.map(([{ blockNumber }]) => blockNumber),
      wanted.map(([{ blockHash }]) => blockHash),
      chainGid,
    ],
  );
  return ids;
}

const of = (mined: readonly Mined[], { projectId }: { readonly projectId: string }): [Mined, string][] =>
  mined.map((one) => [one, projectId]);

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

it('reads a block once for all that is asked of it', async () => {
  await node.rpc('evm_setAutomine', [false]);
  const hashes: string[] = [];
  while (hashes.length < 20) hashes.push(await send());
  await node.mine();
  await node.rpc('evm_setAutomine', [true]);
  const mined = await Promise.all(hashes.map(findMined));
  expect(new Set(mined.map(({ blockHash }) => blockHash)).size).toBe(1);
  slow.asked.length = 0;
  // Detected and confirmed, of two projects.
  const ids = await requestAll([
    ...of([...mined, ...mined], world.project),
    ...of(mined, world.otherProject),
  ]);
  const proofs = await Promise.all(ids.map(waitForAnswer));
  expect(proofs.map((proof) => (JSON.parse(proof!) as Proof).hash)).toEqual([
    ...hashes,
    ...hashes,
    ...hashes,
  ]);
  expect(slow.asked.filter((method) => method === 'eth_getBlockByHash')).toHaveLength(1);
});

it('lets workspaces take turns, however much one of them asks for', async () => {
  const mined: Mined[] = [];
  while (mined.length < 25) mined.push(await pay());
  delayMs = 150;
  const ids = await requestAll([
    ...of(mined.slice(0, 24), world.project),
    ...of(mined.slice(24), world.otherProject),
  ]);
  const one = ids.pop()!;
  expect(await waitForAnswer(one)).not.toBeNull();
  delayMs = 0;
  const { rows } = await world.db.query<{ before: number }>(
    `SELECT count(*)::int AS before FROM proof_requests
     WHERE event_id = ANY($1::uuid[]) AND answered_at < (SELECT answered_at FROM proof_requests WHERE event_id = $2)`,
    [ids, one],
  );
  // Those that were under way.
  expect(rows[0]!.before).toBeLessThanOrEqual(6);
});

it('asks a chain’s nodes for four at once, three of a workspace, and answers for others meanwhile', async () => {
  const mined = await pay();
  const blocks = Array.from({ length: 20 }, (_, index) => ({
    ...mined,
    blockHash: `0x${String(index + 10).repeat(32)}`,
  }));
  const stuck = await requestAll(
    [...of(blocks.slice(0, 10), world.project), ...of(blocks.slice(10), world.otherProject)],
    stuckGid,
  );
  const countTaken = async (ids: readonly string[]): Promise<number> => {
    const { rows } = await world.db.query(
      'SELECT FROM proof_requests WHERE event_id = ANY($1::uuid[]) AND taken_until IS NOT NULL',
      [ids],
    );
    return rows.length;
  };
  await waitFor(async () => (await countTaken(stuck)) === 4);
  for (let count = 0; count < 5; count += 1) expect(await waitForAnswer(await request(mined))).not.toBeNull();
  expect(await countTaken(stuck)).toBe(4);
  expect(await countTaken(stuck.slice(0, 10))).toBeLessThanOrEqual(3);
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
