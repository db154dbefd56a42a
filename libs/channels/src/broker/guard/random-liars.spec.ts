// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { Channels, mailTo, PLACES, start, watchProcess } from './spec-customers.ts';
import { join, u16, u32, u8, type Lie } from './spec-liars.ts';

/** Most random bytes make a message wait for ever. */
const TIMEOUT_MS = 400;
const SEEDS = 150;
const MIB = 1_048_576;
const FLOOD = Buffer.alloc(40 * MIB, 'x');
watchProcess();

test.each<[string, string, Buffer | string]>([
  ['redis_stream', 'answer', `$${2 ** 31 - 1}\r\n`],
  ['redis_stream', 'answer', '+'],
  ['kafka', 'answer', u32(2 ** 31 - 1)],
  ['rabbitmq', 'answer', join(u8(1), u16(1), u32(64 * MIB))],
  ['rabbitmq', 'opened', ''],
  ['nats', 'opened', `MSG x 1 ${64 * MIB - 1}\r\n`],
  ['nats', 'opening', 'INFO {'],
  ['nats', 'opened', '-ERR '],
])('a server of a %s channel that never ends: %s %j', async (kind, step, begin) => {
  const lie: Lie = (at, honest) => (at === step ? join(honest, Buffer.from(begin as string), FLOOD) : honest);
  const liar = await start(PLACES[kind]!.protocol, lie);
  const channels = new Channels(kind);
  await channels.send(liar.port);
  await new Promise((resolve) => setTimeout(resolve, 200));
  // What the kernel holds is a part of it.
  expect(liar.said() / MIB).toBeLessThan(24);
  await channels.close();
});

test('servers that let wait are left when the time is up, and nothing is left of them', async () => {
  const kinds = ['redis_stream', 'rabbitmq', 'kafka', 'nats'];
  const steps = kinds.flatMap((kind) => ['opening', 'opened', 'answer'].map((step) => [kind, step] as const));
  const left = await Promise.all(
    steps.map(async ([kind, step]) => {
      const lie: Lie = (at, honest) => (at === step ? honest.subarray(0, 1) : honest);
      const liar = await start(PLACES[kind]!.protocol, lie, { dripMs: 500 });
      const channels = new Channels(kind);
      const { errorCode } = await channels.send(liar.port);
      // A client may open another one after the one that was ended.
      await new Promise((resolve) => setTimeout(resolve, 2_500));
      await waitFor(async () => liar.count() === 0, { message: () => `${kind}, ${step}: a connection` });
      await channels.close();
      return [kind, step, errorCode];
    }),
  );
  expect(left).toEqual(steps.map((place) => [...place, 'timeout']));
});

test.each(Object.keys(PLACES))('servers of a %s channel that say anything', async (kind) => {
  const channels = new Channels(kind);
  for (let seed = 0; seed < SEEDS; seed += 15)
    await Promise.all(
      Array.from({ length: 15 }, async (_, index) => {
        const liar = await start(PLACES[kind]!.protocol, distort(seed + index));
        await channels.send(liar.port, { timeoutMs: TIMEOUT_MS });
        await liar.stop();
      }),
    );
  const honest = await start(PLACES[kind]!.protocol);
  if (kind !== 'sqs') expect((await channels.send(honest.port)).errorCode).toBeUndefined();
  await channels.close();
});

test('mail servers that say anything', async () => {
  const honest = await start('smtp');
  expect((await mailTo(honest.port)).error).toBeUndefined();
  for (let seed = 0; seed < SEEDS; seed += 15)
    await Promise.all(
      Array.from({ length: 15 }, async (_, index) => {
        const liar = await start('smtp', distort(seed + index));
        await mailTo(liar.port);
        await liar.stop();
      }),
    );
});

/** Random bytes, honest bytes with some changed, or cut, or said again. */
function distort(seed: number): Lie {
  let state = seed * 2_654_435_761 + 1;
  const random = (below: number): number => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
  const at = (['opening', 'opened', 'answer'] as const)[random(3)];
  return (step, honest) => {
    if (step !== at || random(3) === 0) return honest;
    const bytes = Buffer.from(honest);
    switch (random(4)) {
      case 0:
        return Buffer.from(Array.from({ length: 1 + random(2_000) }, () => random(256)));
      case 1:
        return join(bytes, bytes.subarray(random(bytes.length)));
      case 2:
        return bytes.subarray(0, random(bytes.length));
      default:
        for (let count = 1 + random(4); count > 0; count -= 1) bytes[random(bytes.length)] = random(256);
        return bytes;
    }
  };
}
