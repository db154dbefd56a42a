import { untilDone } from './until-done.ts';

const logger = { warn: () => undefined };
const failWith = (code: string) => () => Promise.reject(Object.assign(new Error('failed'), { code }));

it('throws at once what the database refuses, whenever it gets it', async () => {
  await expect(
    untilDone(failWith('22P02'), { signal: new AbortController().signal, logger }),
  ).rejects.toThrow('failed');
});

it('tries again what may succeed later, and says that it does', async () => {
  const tries: boolean[] = [];
  const result = await untilDone(
    async (isRetry) => {
      tries.push(isRetry);
      return isRetry ? 'done' : failWith('57P01')();
    },
    { signal: new AbortController().signal, logger },
  );
  expect([result, tries]).toEqual(['done', [false, true]]);
});

it('ends its pause and gives up when it is told to stop', async () => {
  const stop = new AbortController();
  let tries = 0;
  await expect(
    untilDone(
      () => {
        if ((tries += 1) === 1) setImmediate(() => stop.abort());
        return failWith('57P01')();
      },
      { signal: stop.signal, logger },
    ),
  ).rejects.toThrow('failed');
  expect(tries).toBe(2);
});
