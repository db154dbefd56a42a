// SPDX-License-Identifier: Apache-2.0
import {
  BlockNotFoundError,
  ChainClientError,
  type Block,
  type BlockRef,
  type ReadBlockOptions,
} from '@chainwatch/chain-core';
import { UnknownGate } from './unknown-gate.ts';

const ref: BlockRef = { number: 7, hash: '0x07' };
const other: BlockRef = { number: 8, hash: '0x08' };
const block = { ...ref, transactions: [] } as unknown as Block;

/** A gate over endpoints that fail as they are told to, and a clock. */
function make() {
  const state = { nowMs: 0, error: undefined as Error | undefined };
  const asked: (ReadBlockOptions | undefined)[] = [];
  const gate = new UnknownGate({
    sql: undefined as never,
    chain: undefined as never,
    waitMs: 300_000,
    now: () => state.nowMs,
    client: {
      readBlock: (_ref, _signal, options) => {
        asked.push(options);
        return state.error === undefined ? Promise.resolve(block) : Promise.reject(state.error);
      },
    },
  });
  const read = (of = ref): Promise<unknown> =>
    gate.read(of, new AbortController().signal).catch(() => undefined);
  /** Attempts every five seconds. */
  const fail = async (seconds: number, error: Error): Promise<void> => {
    state.error = error;
    for (let past = 0; past <= seconds; past += 5) {
      await read();
      state.nowMs += 5_000;
    }
  };
  return { state, asked, read, fail };
}

const failure = new ChainClientError('execution timeout');

it('asks for a block without its traces only after nobody gave it for a minute', async () => {
  const { asked, fail, read } = make();
  await fail(55, failure);
  expect(asked.every((options) => options === undefined)).toBe(true);
  await fail(5, failure);
  await read();
  expect(asked.at(-1)).toEqual({ takeUntraced: true });
  await read(other);
  expect(asked.at(-1)).toBeUndefined();
});

it('begins anew once the block was read', async () => {
  const { state, asked, fail, read } = make();
  await fail(70, failure);
  state.error = undefined;
  await read();
  expect(asked.at(-1)).toEqual({ takeUntraced: true });
  await read();
  expect(asked.at(-1)).toBeUndefined();
});

it('counts no failure of long ago, and no block that the nodes do not have', async () => {
  const { state, asked, fail, read } = make();
  await fail(0, failure);
  state.nowMs += 3_600_000;
  await fail(30, failure);
  await read();
  expect(asked.at(-1)).toBeUndefined();
  await fail(120, new BlockNotFoundError('block 7 is not known'));
  await read();
  expect(asked.at(-1)).toBeUndefined();
});
