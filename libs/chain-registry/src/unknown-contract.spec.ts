// SPDX-License-Identifier: Apache-2.0
import {
  ChainError,
  UnknownContentError,
  type Block,
  type ChainClient,
  type ChainFamily,
  type ReadBlockOptions,
} from '@chainwatch/chain-core';
import { readFixture, readRecording, type Recording, ReplayNode } from './contract/fixtures.ts';
import { listLies } from './contract/list-lies.ts';
import { contentOf, write } from './contract/write-content.ts';
import { findFamilyNamed, findNetwork, listFamilies } from './index.ts';

const families = listFamilies().map(({ name }) => name);
const take = { takeUnknown: true };

/** A copy of an answer with a member in each of its objects that nobody knows. */
function withStrays(answer: unknown): unknown {
  if (Array.isArray(answer)) return answer.map(withStrays);
  if (typeof answer !== 'object' || answer === null) return answer;
  return {
    ...Object.fromEntries(Object.entries(answer).map(([key, value]) => [key, withStrays(value)])),
    surprise: '0x1',
  };
}

/**
 * What a reading took for proved that the honest block has not, or did not name. In another block than the true one, by its
 * header or by which transactions it has, nothing is proved.
 */
function listFalsehoods(block: Block, honest: Block): string[] {
  const known = new Set(honest.transactions.map((transaction) => write(transaction)));
  const proved = block.transactions
    .filter(({ verification }) => verification !== 'unproved')
    .map((transaction) => write(transaction));
  const made = proved.filter((transaction) => !known.has(transaction));
  const isOther = frameOf(block) !== frameOf(honest);
  const isUnnamed = (isOther || proved.length < known.size) && (block.unknowns ?? []).length === 0;
  return [...made, ...(isOther ? proved : []), ...(isUnnamed ? ['another block, nothing named'] : [])];
}

function frameOf(block: Block): string {
  const { transactions, unknowns: _, ...rest } = contentOf(block);
  return write({ ...rest, hashes: transactions.map(({ hash }) => hash) });
}

describe.each(families)('what is unknown to %s', (name) => {
  const fixture = readFixture(name);
  const network = findNetwork(fixture.network)!;
  let family: ChainFamily;
  let recording: Recording;
  let node: ReplayNode;
  let honest: Block;

  const read = async (options?: ReadBlockOptions): Promise<Block | Error> => {
    const client: ChainClient = family.createClient({ network, endpointUrl: node.url, timeoutMs: 20_000 });
    const block = await client
      .readBlock(recording.head, undefined, options)
      .catch((error: unknown) => error as Error);
    client.close();
    return block;
  };
  const isBelieved = (text: string): boolean =>
    fixture.unproved?.some((part) => text.includes(part)) === true;
  const isRefusal = (error: Error): boolean => error instanceof ChainError && error.retryable;

  beforeAll(async () => {
    family = (await findFamilyNamed(name))!;
    recording = readRecording(name);
    node = new ReplayNode(recording.exchanges);
    await node.start();
    honest = (await read()) as Block;
  });
  afterAll(() => node.stop());
  afterEach(() => {
    node.lie = undefined;
  });

  it('a block without any of it is the same, taken or not', async () => {
    expect(honest.unknowns).toBeUndefined();
    // What stands in no root is attested, as ever.
    expect(honest.transactions.map(({ verification = 'attested' }) => verification)).toEqual(
      honest.transactions.map(() => 'attested'),
    );
    expect(write(contentOf((await read(take)) as Block))).toBe(write(contentOf(honest)));
  });

  it('members that nobody knows, in every object of an answer: read past, or named and unproved', async () => {
    node.asked.clear();
    await read();
    for (const key of node.asked) {
      node.lie = { key, answer: withStrays(node.answerTo(key)) };
      const strict = await read();
      const taken = await read(take);
      expect(taken).not.toBeInstanceOf(Error);
      expect(listFalsehoods(taken as Block, honest)).toEqual([]);
      expect((taken as Block).transactions.map(({ hash }) => hash)).toEqual(
        honest.transactions.map(({ hash }) => hash),
      );
      if (!(strict instanceof Error)) expect(write(contentOf(strict))).toBe(write(contentOf(honest)));
      else
        expect([strict instanceof UnknownContentError, (strict as UnknownContentError).unknowns]).toEqual([
          true,
          (taken as Block).unknowns,
        ]);
    }
  });

  it('is no pretext: a node that changes, leaves out or tells twice beside it is refused, or proves nothing', async () => {
    node.asked.clear();
    await read();
    const falsehoods: string[] = [];
    let count = 0;
    for (const key of [...node.asked].filter((asked) => !isBelieved(asked))) {
      for (const { at, answer } of listLies(node.answerTo(key)).filter((lie) => !isBelieved(lie.at))) {
        count += 1;
        node.lie = { key, answer: withStrays(answer) };
        const block = await read(take);
        const found =
          block instanceof Error ? (isRefusal(block) ? [] : [String(block)]) : listFalsehoods(block, honest);
        falsehoods.push(...found.map((what) => `${key}${at}: ${what}`));
      }
    }
    expect(falsehoods).toEqual([]);
    expect(count).toBeGreaterThan(50);
  });
});
