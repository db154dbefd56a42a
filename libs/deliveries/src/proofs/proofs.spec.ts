// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import type { Receiver } from '@chainwatch/data/testing';
import { giveWorlds, type World } from '../spec-world.ts';

let world: World;
let receiver: Receiver;
giveWorlds((given) => ({ world, receiver } = given));

const publicUrl = 'https://chainwatch.example.com';
const ALL = { event_types: ['transaction.detected', 'transaction.confirmed', 'transaction.reorged'] };
const withLink = { config: { ...ALL, include_proof: 'link' } };
const withProof = { config: { ...ALL, include_proof: 'inline' } };

interface Body {
  readonly event_id: string;
  readonly data: {
    readonly transaction: { readonly hash: string };
    readonly proof?: { readonly type: string };
  };
}
/** What came to a path, in its order. */
const bodiesTo = (path: string): Body[] =>
  receiver.requests.filter(({ url }) => url.endsWith(path)).map(({ body }) => JSON.parse(body) as Body);
const addChannel = (path: string, more = {}): Promise<string> =>
  world.addChannel(`${receiver.url}${path}`, { config: ALL, ...more });
const linkTo = (hash: string) => ({
  type: 'link',
  url: `${publicUrl}/v1/transactions/eip155:31337/${hash}/proof`,
});
const proofOf = (eventId: string) => ({ type: 'mpt', header: `0x${eventId.replaceAll('-', '')}` });
const requested = () =>
  world.rows<{ event_id: string }>('SELECT event_id FROM proof_requests ORDER BY requested_at, event_id');
const isRequested = (eventId: string): Promise<unknown> =>
  waitFor(async () => (await requested()).some((row) => row.event_id === eventId));

/** As a gateway does it. */
async function answer(eventId: string, proof: object | null = proofOf(eventId)): Promise<void> {
  await isRequested(eventId);
  await world.db.query(
    'UPDATE proof_requests SET proof = $2, answered_at = clock_timestamp() WHERE event_id = $1',
    [eventId, proof && JSON.stringify(proof)],
  );
}

it('gives a link to a channel that asks for one, and to others the event as it is', async () => {
  await addChannel('/link', withLink);
  await addChannel('/plain');
  await world.start({}, { publicUrl });
  const eventId = await world.emit();
  await world.waitForStatus(eventId, 'delivered');
  const [linked] = bodiesTo('/link');
  const [{ payload }] = (await world.rows<{ payload: string }>('SELECT payload FROM event_log')) as [
    { payload: string },
  ];
  expect(linked!.data.proof).toEqual(linkTo(linked!.data.transaction.hash));
  expect({ ...linked, data: { ...linked!.data, proof: undefined } }).toEqual(JSON.parse(payload));
  expect(receiver.requests.find(({ url }) => url.endsWith('/plain'))!.body).toBe(payload);
  expect(await requested()).toEqual([]);
});

it('sends the same bytes in every attempt and when it is asked for again, whatever was changed meanwhile', async () => {
  const channelId = await addChannel('/inline', withProof);
  await world.start({ scheduleMs: [0, 50, 50] }, { publicUrl });
  receiver.answer = (_req, res) => {
    res.statusCode = receiver.requests.length < 3 ? 503 : 200;
    res.end();
  };
  const eventId = await world.emit();
  await answer(eventId);
  await waitFor(() => receiver.requests.length > 0);
  await world.db.query('DELETE FROM proof_requests');
  await world.waitForStatus(eventId, 'delivered');
  await world.db.query(`UPDATE notification_channels SET config = config || '{"include_proof": "none"}'`);
  // As actions/redeliver does it.
  await world.db.query(
    `UPDATE deliveries SET status = 'pending', attempt_base = attempt_count, next_attempt_at = now() WHERE channel_id = $1`,
    [channelId],
  );
  await waitFor(() => receiver.requests.length >= 4);
  expect(new Set(receiver.requests.map(({ body }) => body)).size).toBe(1);
  expect(bodiesTo('/inline')[0]!.data.proof).toEqual(proofOf(eventId));
});

it.each([
  ['no node gives it', () => null],
  ['it is longer than 16 KiB', () => ({ type: 'mpt', header: `0x${'ab'.repeat(8_192)}` })],
])('gives a link where %s', async (_name, makeProof) => {
  await addChannel('/inline', withProof);
  await world.start({}, { publicUrl });
  const eventId = await world.emit();
  await answer(eventId, makeProof());
  await world.waitForStatus(eventId, 'delivered');
  const [body] = bodiesTo('/inline');
  expect(body!.data.proof).toEqual(linkTo(body!.data.transaction.hash));
});

it('gives a link where nobody answers in time, and to what comes next without waiting', async () => {
  await addChannel('/inline', withProof);
  await world.start({ proofTimeoutMs: 300 }, { publicUrl });
  const first = await world.emit();
  await world.waitForStatus(first, 'delivered');
  const next = await world.emit();
  await world.waitForStatus(next, 'delivered');
  expect(bodiesTo('/inline').map(({ data }) => data.proof?.type)).toEqual(['link', 'link']);
  expect(await requested()).toEqual([{ event_id: first }]);
});

it('waits for the proofs of a workspace although those of another one did not come in time', async () => {
  const projectId = await world.addProject();
  await addChannel('/late', withProof);
  await addChannel('/inline', { ...withProof, projectId });
  await world.start({ proofTimeoutMs: 1_500 }, { publicUrl });
  const late = await world.emit();
  await world.waitForStatus(late, 'delivered');
  const eventId = await world.emit({ projectId });
  await answer(eventId);
  await world.waitForStatus(eventId, 'delivered');
  expect(bodiesTo('/late').map(({ data }) => data.proof?.type)).toEqual(['link']);
  expect(bodiesTo('/inline').map(({ data }) => data.proof)).toEqual([proofOf(eventId)]);
});

it('gives none where the transaction is in no block', async () => {
  await addChannel('/inline', withProof);
  await addChannel('/link', withLink);
  await world.start({}, { publicUrl });
  const nowhere = { block_number: null, block_hash: null };
  const sent = [
    await world.emit({ transaction: { ...nowhere, status: 'pending' } }),
    await world.emit({ transaction: { ...nowhere, status: 'reorged' }, type: 'transaction.reorged' }),
  ];
  for (const eventId of sent) await world.waitForStatus(eventId, 'delivered');
  expect(receiver.requests).toHaveLength(4);
  for (const { body } of receiver.requests) expect(JSON.parse(body)).not.toHaveProperty('data.proof');
  expect(await requested()).toEqual([]);
});

it('keeps the order of the channel, and others wait for none of it', async () => {
  await addChannel('/inline', withProof);
  await addChannel('/plain');
  await world.start({ concurrencyPerChannel: 1, proofTimeoutMs: 240_000 }, { publicUrl });
  const sent: string[] = [];
  while (sent.length < 12) {
    // Every third is in no block and needs no proof.
    const isPending = sent.length % 3 === 2;
    sent.push(
      await world.emit(
        isPending ? { transaction: { status: 'pending', block_number: null, block_hash: null } } : {},
      ),
    );
  }
  await waitFor(() => bodiesTo('/plain').length === sent.length);
  expect(bodiesTo('/inline')).toEqual([]);
  // The newest first, as far as they are asked for; the first one opens the way.
  const answered = new Set<string>();
  await waitFor(async () => {
    const open = (await requested()).map((row) => row.event_id).filter((id) => !answered.has(id));
    const newest = sent.findLast((id) => open.includes(id));
    if (newest !== undefined) await answer(newest);
    if (newest !== undefined) answered.add(newest);
    return bodiesTo('/inline').length === sent.length;
  });
  expect(bodiesTo('/inline').map((body) => body.event_id)).toEqual(sent);
});

it('goes on in another process where one stopped while a delivery waited for its proof', async () => {
  await addChannel('/inline', withProof);
  const first = await world.start({ proofTimeoutMs: 240_000 }, { publicUrl });
  const eventId = await world.emit();
  await isRequested(eventId);
  await first.stop();
  await world.start({ proofTimeoutMs: 240_000 }, { publicUrl });
  await answer(eventId);
  await world.waitForStatus(eventId, 'delivered');
  expect(bodiesTo('/inline').map(({ data }) => data.proof)).toEqual([proofOf(eventId)]);
});

it('asks once for what several channels send', async () => {
  for (const path of ['/1', '/2', '/3']) await addChannel(path, withProof);
  await world.start({ proofTimeoutMs: 240_000 }, { publicUrl });
  const eventId = await world.emit();
  await answer(eventId);
  await world.waitForStatus(eventId, 'delivered');
  expect(receiver.requests.map(({ body }) => body)).toEqual(Array(3).fill(receiver.requests[0]!.body));
  expect(await requested()).toHaveLength(1);
});

it('sends a link in time although the table of requests takes none', async () => {
  await addChannel('/inline', withProof);
  await world.db.query(
    `ALTER TABLE proof_requests ADD CONSTRAINT refused CHECK (block_number < 0) NOT VALID`,
  );
  await world.start({ proofTimeoutMs: 300 }, { publicUrl });
  const eventId = await world.emit();
  await world.waitForStatus(eventId, 'delivered');
  const [{ data }] = bodiesTo('/inline') as [Body];
  expect(data.proof).toEqual(linkTo(data.transaction.hash));
});
