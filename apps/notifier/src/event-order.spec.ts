import fc from 'fast-check';
import { EventOrder, type NotifiedEvent } from './event-order.ts';

const told = (sequence: number | undefined, projectId = 'p', chainGid = 'eip155:1'): NotifiedEvent => ({
  eventId: `${projectId} ${chainGid} ${sequence}`,
  projectId,
  chainGid,
  sequence,
});
const numbers = (events: readonly NotifiedEvent[]): (number | undefined)[] =>
  events.map(({ sequence }) => sequence);

describe('EventOrder', () => {
  it('lets what comes in order through at once, of each project and chain', () => {
    const order = new EventOrder();
    for (const sequence of [1, 2, 3])
      for (const [project, chain] of [
        ['p', 'a'],
        ['p', 'b'],
        ['q', 'a'],
      ] as const)
        expect(numbers(order.accept(told(sequence, project, chain)))).toEqual([sequence]);
    expect([order.size, order.gaps]).toEqual([0, []]);
  });

  it('keeps what came too early until the gap is filled', () => {
    const order = new EventOrder();
    order.accept(told(1));
    expect(order.accept(told(4))).toEqual([]);
    expect(order.accept(told(3))).toEqual([]);
    expect(order.gaps).toEqual([{ projectId: 'p', chainGid: 'eip155:1', after: 1, before: 4 }]);
    expect(numbers(order.accept(told(2)))).toEqual([2, 3, 4]);
    expect([order.size, order.gaps]).toEqual([0, []]);
  });

  it('asks for what may have been before the first one it hears of', () => {
    const order = new EventOrder();
    expect(order.accept(told(7))).toEqual([]);
    const [gap] = order.gaps;
    expect(gap).toMatchObject({ after: 0, before: 7 });
    expect(numbers(order.close(gap!))).toEqual([7]);
    expect(numbers(order.accept(told(8)))).toEqual([8]);
  });

  it('goes on behind a closed gap, and waits for the next one', () => {
    const order = new EventOrder();
    order.accept(told(1));
    order.accept(told(3));
    const [gap] = order.gaps;
    for (const sequence of [4, 7]) order.accept(told(sequence));
    expect(numbers(order.close(gap!))).toEqual([3, 4]);
    expect(order.gaps).toEqual([{ projectId: 'p', chainGid: 'eip155:1', after: 4, before: 7 }]);
  });

  it('lets repetitions and late ones through, and what has no sequence', () => {
    const order = new EventOrder();
    for (const sequence of [1, 2, 1, 2, undefined]) expect(order.accept(told(sequence))).toHaveLength(1);
  });

  it('loses nothing and reverses nothing, whatever comes twice, late or never', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ sequence: fc.integer({ min: 1, max: 12 }), isFilled: fc.boolean() })),
        (messages) => {
          const order = new EventOrder();
          const seen: number[] = [];
          const take = (events: readonly NotifiedEvent[]): void =>
            void seen.push(...events.map(({ sequence }) => sequence!));
          for (const { sequence, isFilled } of messages) {
            take(order.accept(told(sequence)));
            if (isFilled) for (const gap of order.gaps) take(order.close(gap));
          }
          for (const gap of order.gaps) take(order.close(gap));
          expect(order.size).toBe(0);
          const first = [...new Set(seen)];
          expect(first.toSorted((a, b) => a - b)).toEqual(
            [...new Set(messages.map(({ sequence }) => sequence))].sort((a, b) => a - b),
          );
          // Only what came after its gap was closed may be late.
          if (messages.every(({ isFilled }) => !isFilled))
            expect(first).toEqual(first.toSorted((a, b) => a - b));
        },
      ),
    );
  });
});
