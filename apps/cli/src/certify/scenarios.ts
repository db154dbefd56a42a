// SPDX-License-Identifier: Apache-2.0
import { randomBytes } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import type { Book } from './book.ts';
import { Payment, type Account, type Event } from './payments.ts';
import { notRefused, notTaken, type Receiver } from './receiver.ts';

export interface Scene {
  readonly receiver: Receiver;
  readonly account: Account;
  /** Deliveries of the burst. */
  readonly burst: number;
  /** Undefined: nobody can read it. */
  readonly book: Book | undefined;
}

/** What is delivered to a receiver, and what it has to make of it. */
export interface Scenario {
  readonly name: string;
  /** What a right receiver does. */
  readonly rule: string;
  /** @returns what is wrong, in the order of the steps; empty: it holds */
  run(scene: Scene): Promise<readonly string[]>;
}

const HOUR_S = 3_600;
/** Base units, of 18 decimals: a sum in floating point loses the last digit. */
const AMOUNT = 1_000_000_000_000_000_001n;
const BURST_AMOUNT = 1_000_000_000_000_001n;
/** Of a channel, unless configured otherwise. */
const BURST_AT_ONCE = 8;
/** A receiver that is full may say so; a channel waits longer. */
const COME_AGAIN_MAX = 20;
const COME_AGAIN_MS = 250;

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'forged',
    rule: 'refuses with 4xx what is not signed with its secret',
    run: (scene) =>
      credits(scene, 0n, async ({ receiver, account }) => {
        const event = new Payment(account, AMOUNT).tell('confirmed');
        const body = JSON.stringify({ ...event, sequence: event.sequence + 1 });
        return [
          name('another secret', notRefused(await receiver.deliver(event, { secrets: [makeSecret()] }))),
          name('changed after it was signed', notRefused(await receiver.deliver(event, { body }))),
          name('not signed', notRefused(await receiver.deliver(event, { isUnsigned: true }))),
        ];
      }),
  },
  {
    name: 'replayed',
    rule: 'refuses with 4xx a signature that is an hour old',
    run: (scene) =>
      credits(scene, 0n, async ({ receiver, account }) => {
        const event = new Payment(account, AMOUNT).tell('confirmed');
        const timestamp = Math.floor(Date.now() / 1_000) - HOUR_S;
        return [notRefused(await receiver.deliver(event, { timestamp }))];
      }),
  },
  {
    name: 'confirmed',
    rule: 'answers 2xx within 10 seconds, and credits the exact amount',
    run: (scene) => credits(scene, AMOUNT, ({ account }) => take(scene, told(account, 'confirmed'))),
  },
  {
    name: 'not-confirmed',
    rule: 'credits nothing that is only detected, that failed, or that is a test message',
    run: (scene) =>
      credits(scene, 0n, ({ account }) =>
        take(scene, told(account, 'detected'), told(account, 'progress'), told(account, 'failed'), {
          ...told(account, 'confirmed'),
          is_test_message: true,
        }),
      ),
  },
  {
    name: 'unknown-type',
    rule: 'answers 2xx to a type of event that it does not know, and does nothing',
    run: (scene) =>
      credits(scene, 0n, ({ account }) =>
        take(scene, { ...told(account, 'confirmed'), type: 'transaction.certified' }),
      ),
  },
  {
    name: 'duplicate',
    rule: 'answers 2xx to an event that comes again, and credits it once',
    run: (scene) =>
      credits(scene, 2n * AMOUNT, async ({ receiver, account }) => {
        const after = told(account, 'confirmed');
        const atOnce = told(account, 'confirmed');
        const answers = await Promise.all([receiver.deliver(atOnce), receiver.deliver(atOnce)]);
        return [
          ...(await take(scene, after, after)),
          ...answers.map((answer) => name('both at once', notTaken(answer))),
          ...(await take(scene, atOnce)),
        ];
      }),
  },
  {
    name: 'reordered',
    rule: 'credits what is confirmed before it is detected, and not what was undone before it is confirmed',
    run: (scene) =>
      credits(scene, AMOUNT, async ({ account }) => {
        const early = new Payment(account, AMOUNT);
        const detected = early.tell('detected');
        const undone = new Payment(account, AMOUNT);
        const confirmed = undone.tell('confirmed');
        return take(scene, ...[early.tell('confirmed'), detected], ...[undone.tell('reorged'), confirmed]);
      }),
  },
  {
    name: 'reorg',
    rule: 'takes back what a reorg undid after its confirmation, and credits it again when it is confirmed again',
    async run(scene) {
      const payment = new Payment(scene.account, AMOUNT);
      const steps = [
        ['confirmed', AMOUNT],
        ['reorged', -AMOUNT],
        ['confirmed', AMOUNT],
      ] as const;
      const faults: string[] = [];
      for (const [type, change] of steps)
        faults.push(...(await credits(scene, change, () => take(scene, payment.tell(type)))));
      return faults;
    },
  },
  {
    name: 'late',
    rule: 'takes an event that is an hour old and signed now',
    run: (scene) =>
      credits(scene, AMOUNT, ({ account }) => {
        const at = new Date(Date.now() - HOUR_S * 1_000);
        return take(scene, new Payment(account, AMOUNT).tell('confirmed', { at }));
      }),
  },
  {
    name: 'slow',
    rule: 'reads a body that comes in pieces, and credits once what comes again because its answer was lost',
    run: (scene) =>
      credits(scene, 2n * AMOUNT, async ({ receiver, account }) => {
        const slow = told(account, 'confirmed');
        const cut = told(account, 'confirmed');
        const read = notTaken(await receiver.deliver(slow, { isSlow: true }));
        await receiver.deliver(cut, { isCut: true });
        return [name('in pieces', read), ...(await take(scene, cut))];
      }),
  },
  {
    name: 'rotation',
    rule: 'takes a delivery with two signatures, of which one is made with its secret',
    run: (scene) =>
      credits(scene, 2n * AMOUNT, async ({ receiver, account }) => {
        const faults: (string | undefined)[] = [];
        for (const secrets of [
          [makeSecret(), receiver.secret],
          [receiver.secret, makeSecret()],
        ] as const)
          faults.push(notTaken(await receiver.deliver(told(account, 'confirmed'), { secrets })));
        return faults;
      }),
  },
  {
    name: 'burst',
    rule: 'takes many deliveries, 8 at once; 429 and 503 are answers that let them come again',
    run: (scene) => credits(scene, BURST_AMOUNT * BigInt(scene.burst), () => sendBurst(scene)),
  },
];

/** Runs the steps, and looks at the book after them: the change counts from before. */
async function credits(
  scene: Scene,
  change: bigint,
  steps: (scene: Scene) => Promise<readonly (string | undefined)[]>,
): Promise<readonly string[]> {
  const before = await scene.book?.read();
  const faults = await steps(scene);
  const difference = before === undefined ? undefined : await scene.book?.differs(before + change);
  return [...faults, difference].filter((fault) => fault !== undefined);
}

function told(account: Account, type: Parameters<Payment['tell']>[0]): Event {
  return new Payment(account, AMOUNT).tell(type);
}

/** One after the other. */
async function take({ receiver }: Scene, ...events: readonly Event[]): Promise<string[]> {
  const faults: string[] = [];
  for (const event of events) {
    const fault = notTaken(await receiver.deliver(event));
    if (fault !== undefined) faults.push(name(event.type, fault));
  }
  return faults;
}

async function sendBurst({ receiver, account, burst }: Scene): Promise<readonly string[]> {
  const faults = new Set<string>();
  let left = burst;
  const send = async (): Promise<void> => {
    while (left > 0) {
      left -= 1;
      const event = new Payment(account, BURST_AMOUNT).tell('confirmed');
      let answer = await receiver.deliver(event);
      for (let count = 0; isFull(answer.status) && count < COME_AGAIN_MAX; count += 1) {
        await wait(COME_AGAIN_MS);
        answer = await receiver.deliver(event);
      }
      const fault = notTaken(answer);
      if (fault !== undefined) faults.add(fault);
    }
  };
  await Promise.all(Array.from({ length: BURST_AT_ONCE }, send));
  return [...faults];
}

const isFull = (status: number | undefined): boolean => status === 429 || status === 503;

function name<T extends string | undefined>(what: string, fault: T): T {
  return (fault === undefined ? undefined : `${what}: ${fault}`) as T;
}

const makeSecret = (): string => `other_whsec_${randomBytes(15).toString('hex')}`;
