// SPDX-License-Identifier: Apache-2.0
import { fuzzSpellings, type Json } from './fuzz-spellings.ts';

const told = { list: [{ hash: `0x0${'ab'.repeat(20)}` }], count: 7, text: 'no digits' };
const hashOf = (json: Json): string => String((json as typeof told).list[0]!.hash);
const fuzz = (
  read: (json: Json) => Promise<unknown>,
  isOther?: (member: string, spelling: string) => boolean,
): Promise<number> => fuzzSpellings({ told, read, tries: 300, seed: 1, isOther });

it('is content with a reader that refuses, and with one that reads the same', async () => {
  const strict = async (json: Json): Promise<string> => {
    if (hashOf(json) !== hashOf(told)) throw new Error('refused');
    return Promise.resolve('taken');
  };
  expect(await fuzz(strict)).toBeGreaterThan(200);
  expect(await fuzz(() => Promise.resolve('the same'))).toBe(0);
});

it('finds a reader that another spelling deceives, unless it is another word', async () => {
  const deceived = (json: Json): Promise<boolean> => Promise.resolve(hashOf(json) === hashOf(told));
  await expect(fuzz(deceived)).rejects.toThrow('[["list",0,"hash"]');
  const careless = (json: Json): Promise<unknown> =>
    Promise.resolve(hashOf(json) === '' ? undefined : 'the same');
  await expect(fuzz(careless)).rejects.toThrow('"empty"]');
  expect(await fuzz(careless, (member, spelling) => member === 'hash' && spelling === 'empty')).toBe(0);
});
