import { FairTurns } from './fair-turns.ts';

describe('FairTurns', () => {
  it('lets owners take turns, however much one of them waits for, and never more at once than it may', async () => {
    const turns = new FairTurns(2);
    const order: string[] = [];
    let running = 0;
    let runningMax = 0;
    const work = (name: string) => async (): Promise<void> => {
      runningMax = Math.max(runningMax, (running += 1));
      order.push(name);
      await new Promise((resolve) => setImmediate(resolve));
      running -= 1;
    };
    const all = [
      ...Array.from({ length: 6 }, (_, n) => turns.take('greedy', work(`g${n}`))),
      turns.take('polite', work('p0')),
      turns.take('polite', work('p1')),
      turns.take('third', work('t0')),
    ];
    await Promise.all(all);
    expect(order).toEqual(['g0', 'g1', 'g2', 'p0', 't0', 'g3', 'p1', 'g4', 'g5']);
    expect(runningMax).toBe(2);
  });

  it('passes the turn on where the work fails', async () => {
    const turns = new FairTurns(1);
    const failed = turns.take('a', () => Promise.reject(new Error('no')));
    const next = turns.take('b', async () => 'done');
    await expect(failed).rejects.toThrow('no');
    expect(await next).toBe('done');
    expect(await turns.take('c', async () => 'again')).toBe('again');
  });
});
