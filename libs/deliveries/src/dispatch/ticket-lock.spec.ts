import { setImmediate as turnOfTheLoop } from 'node:timers/promises';
import { TicketLock } from './ticket-lock.ts';

test('lets everybody through in the order of the tickets, whoever is ready or gone first', async () => {
  const lock = new TicketLock();
  const tickets = Array.from({ length: 4 }, () => lock.takeTicket());
  const passed: number[] = [];
  const passing = [2, 0, 3].map(async (index) => {
    await tickets[index]!.turn;
    passed.push(index);
    tickets[index]!.release();
  });
  await turnOfTheLoop();
  expect(passed).toEqual([0]);
  // Never ready, and releases twice.
  tickets[1]!.release();
  tickets[1]!.release();
  await Promise.all(passing);
  expect(passed).toEqual([0, 2, 3]);
});
