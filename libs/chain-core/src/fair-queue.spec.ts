// SPDX-License-Identifier: Apache-2.0
import { FairQueue, type QueuePlace } from './fair-queue.ts';

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('FairQueue', () => {
  it('lets owners take turns, however much one of them waits for, and never more at once than it may', async () => {
    const queue = new FairQueue({ atOnce: 2 });
    const order: string[] = [];
    let running = 0;
    let runningMax = 0;
    const work = (name: string) => async (): Promise<void> => {
      runningMax = Math.max(runningMax, (running += 1));
      order.push(name);
      await tick();
      running -= 1;
    };
    await Promise.all([
      ...Array.from({ length: 6 }, (_, n) => queue.run({ owner: 'greedy' }, work(`g${n}`))),
      queue.run({ owner: 'polite' }, work('p0')),
      queue.run({ owner: 'polite' }, work('p1')),
      queue.run({ owner: 'third' }, work('t0')),
    ]);
    expect(order).toEqual(['g0', 'g1', 'g2', 'p0', 't0', 'g3', 'p1', 'g4', 'g5']);
    expect(runningMax).toBe(2);
  });

  it('passes the turn on where the work fails', async () => {
    const queue = new FairQueue({ atOnce: 1 });
    const failed = queue.run({ owner: 'a' }, () => Promise.reject(new Error('no')));
    const next = queue.run({ owner: 'b' }, async () => 'done');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(await queue.run({ owner: 'c' }, async () => 'again')).toBe('again');
  });

  it('leaves as much to the others as one owner has, and three quarters to its other parts', async () => {
    const world = open({ atOnce: 16, atOncePerPart: 4, leavesRoom: true });
    await world.enter('A', 'a', 10);
    expect(world.sent).toHaveLength(4);
    await world.enter('A', 'b', 10);
    await world.enter('A', 'c', 10);
    expect(world.sent).toHaveLength(8);
    await world.enter('B', 'a', 10);
    expect(world.names(8)).toBe('Ba0 Ba1 Ba2 Ba3');
    await world.enter('C', 'a');
    expect(world.names(12)).toBe('Ca0');
  });

  it('takes turns over owners, and within them over parts, each in its order', async () => {
    const world = open({ atOnce: 2, atOncePerPart: 2, leavesRoom: true });
    // One call each is in flight, and later ones wait.
    await world.enter('A', 'a');
    await world.enter('B', 'a');
    await world.enter('A', 'a', 4);
    await world.enter('A', 'b', 2);
    await world.enter('B', 'a', 2);
    expect(world.sent).toHaveLength(2);
    for (let at = 0; at < world.sent.length; at += 1) {
      world.sent[at]!.leave();
      await tick();
    }
    expect(world.names(2)).toBe('Aa0 Ba0 Ab0 Ba1 Aa1 Ab1 Aa2 Aa3');
  });

  it('gives a turn at once where nobody of the same part waits, and none where one would wait', async () => {
    const queue = new FairQueue({ atOnce: 4, atOncePerPart: 1 });
    const leave = queue.tryEnter({ owner: 'A', part: 'a' });
    expect(queue.tryEnter({ owner: 'A', part: 'a' })).toBeUndefined();
    expect(queue.waiting).toBe(0);
    const waiting = queue.enter({ owner: 'A', part: 'a' });
    expect(queue.tryEnter({ owner: 'A', part: 'b' })).toBeDefined();
    leave!();
    leave!();
    expect(queue.tryEnter({ owner: 'A', part: 'a' })).toBeUndefined();
    (await waiting)();
    expect(queue.tryEnter({ owner: 'A', part: 'a' })).toBeDefined();
  });

  it('forgets who aborts, and a place is given once', async () => {
    const world = open({ atOnce: 4, atOncePerPart: 1, leavesRoom: true });
    const [, second] = await world.enter('A', 'a', 3);
    second!.abort();
    second!.abort();
    await tick();
    expect(world.names()).toBe('Aa0');
    world.sent[0]!.leave();
    world.sent[0]!.leave();
    await tick();
    expect(world.names()).toBe('Aa0 Aa2');
    world.sent[1]!.leave();
    await world.enter('A', 'a');
    expect(world.sent).toHaveLength(3);
  });

  it('rejects with the reason of the signal, before and while it waits', async () => {
    const queue = new FairQueue({ atOnce: 1 });
    const leave = await queue.enter({ owner: 'a' });
    const controller = new AbortController();
    const waiting = queue.enter({ owner: 'a', signal: controller.signal });
    controller.abort(new Error('gone'));
    await expect(waiting).rejects.toThrow('gone');
    await expect(queue.enter({ owner: 'b', signal: controller.signal })).rejects.toThrow('gone');
    expect(queue.isFull).toBe(true);
    leave();
    expect(queue.isFull).toBe(false);
    // A signal that aborts afterwards takes nothing back.
    const later = new AbortController();
    const end = await queue.enter({ owner: 'a', signal: later.signal });
    later.abort();
    expect(queue.isFull).toBe(true);
    end();
    expect(queue.isFull).toBe(false);
  });

  it('serves the patient when nobody else waits', async () => {
    const queue = new FairQueue({ atOnce: 1 });
    const order: string[] = [];
    const work = (name: string) => async (): Promise<void> => {
      order.push(name);
      await tick();
    };
    await Promise.all([
      queue.run({ owner: 'a' }, work('first')),
      queue.run({ owner: 'a', isPatient: true }, work('patient')),
      queue.run({ owner: 'a' }, work('second')),
      queue.run({ owner: 'b' }, work('third')),
    ]);
    expect(order).toEqual(['first', 'second', 'third', 'patient']);
  });

  it('never has more under way than it may, and lets nothing lie, whatever comes and goes', async () => {
    const world = open({ atOnce: 7, atOncePerPart: 3, leavesRoom: true });
    let seed = 1;
    const next = (below: number): number => (seed = (seed * 48_271) % 2_147_483_647) % below;
    const inside: Call[] = [];
    for (let round = 0; round < 3_000; round += 1) {
      if (next(2) === 0) inside.push(...(await world.enter('ABCD'[next(4)]!, 'ABCD'[next(2)]!)));
      else if (inside.length > 0) {
        const [call] = inside.splice(next(inside.length), 1);
        call!.abort();
        call!.leave();
        await tick();
      }
      const going = world.sent.filter(({ isOver }) => !isOver);
      expect(going.length).toBeLessThanOrEqual(7);
      for (const owner of 'ABCD') {
        const own = going.filter(({ name }) => name.startsWith(owner));
        expect(own.length).toBeLessThanOrEqual(4);
        for (const part of 'ABCD')
          expect(own.filter(({ name }) => name[1] === part).length).toBeLessThanOrEqual(3);
      }
      // Nobody waits who has room.
      for (const owner of 'ABCD') {
        const own = going.filter(({ name }) => name.startsWith(owner));
        for (const part of 'AB') {
          const isWaiting = inside.some((call) => call.name.startsWith(owner + part) && !call.isSent);
          const partGoing = own.filter(({ name }) => name[1] === part).length;
          expect(isWaiting && partGoing < 3 && own.length < 7 - going.length).toBe(false);
        }
      }
    }
    for (const call of inside) {
      call.abort();
      call.leave();
    }
    await tick();
    const last = await world.enter('A', 'A', 3);
    expect(last.every(({ isSent }) => isSent)).toBe(true);
  });
});

interface Call {
  readonly name: string;
  isSent: boolean;
  isOver: boolean;
  abort(): void;
  leave(): void;
}

/** A queue, and the calls that had their turn. */
function open(options: ConstructorParameters<typeof FairQueue>[0]) {
  const queue = new FairQueue(options);
  const sent: Call[] = [];
  const start = (name: string, place: QueuePlace): Call => {
    const controller = new AbortController();
    let end: (() => void) | undefined;
    const call: Call = {
      name,
      isSent: false,
      isOver: false,
      abort: () => controller.abort(new Error('withdrawn')),
      leave: () => {
        call.isOver = true;
        end?.();
      },
    };
    queue.enter({ ...place, signal: controller.signal }).then(
      (leave) => {
        end = leave;
        // It was given up in the moment of its turn.
        if (call.isOver) return leave();
        call.isSent = true;
        sent.push(call);
      },
      () => undefined,
    );
    return call;
  };
  return {
    sent,
    async enter(owner: string, part: string, count = 1): Promise<Call[]> {
      const calls = Array.from({ length: count }, (_, index) =>
        start(`${owner}${part}${index}`, { owner, part: `${owner}/${part}` }),
      );
      await tick();
      return calls;
    },
    names: (from = 0): string =>
      sent
        .slice(from)
        .map(({ name }) => name)
        .join(' '),
  };
}
