// SPDX-License-Identifier: Apache-2.0
import type { Block, Network, RpcAnswer, RpcCall } from '@chainwatch/chain-core';
import fc from 'fast-check';
import { evmNetworks, readTraits } from './networks.ts';
import type { CallFrame, CallTrace, ParityTrace } from './raw-trace.ts';
import { readBlock } from './read-block.ts';
import type { RpcReply } from './rpc-transport.ts';
import { SettlementBook } from './settlement/settlement-book.ts';
import { assemble, fixedItems } from './spec-block.ts';
import type { Case, Made } from './spec-block.ts';
import { address, made, plain } from './spec-made.ts';

const network = evmNetworks.find(({ gid }) => gid === 'eip155:31337') as Network;
const SEED = Number(process.env.PROVE_SEED ?? 7);
const RUNS = Number(process.env.PROVE_RUNS ?? 15);

/** What a node serves of a block, with traces in the form of one of the two kinds of nodes. */
interface Served {
  readonly whole: Case;
  readonly method: 'trace_block' | 'debug_traceBlockByHash';
  readonly traces: unknown;
}

/** The block as a client reads it. */
function read({ whole, method, traces }: Served): Promise<Block> {
  const textOf = (call: RpcCall): string => {
    if (call.method === 'eth_getBlockByHash') return whole.body;
    if (call.method === 'eth_getBlockReceipts') return whole.receipts;
    const result = call.method === method ? traces : null;
    return JSON.stringify({ jsonrpc: '2.0', id: 1, result });
  };
  const ask = (call: RpcCall): RpcReply => {
    const text = textOf(call);
    return { result: () => (JSON.parse(text) as { result: unknown }).result };
  };
  return readBlock(
    {
      network,
      traits: { ...readTraits(network), stack: 'optimism' },
      transport: {
        call: async (name, params) => ask({ method: name, params }).result(),
        ask: async (name, params) => ask({ method: name, params }),
        callMany: async (calls) =>
          calls.map((call): RpcAnswer => ({ type: 'result', result: ask(call).result() })),
        close: () => undefined,
      },
      capabilities: {
        receipts: 'by_hash',
        trace: method === 'trace_block' ? 'trace_block' : 'debug_hash',
        hasBlockByHash: true,
        hasMulticall: false,
        hasLogs: true,
        hasSocket: false,
      },
      doubted: new Set(),
      settlement: new SettlementBook(),
    },
    { ref: whole.ref },
  );
}

const { frame } = fc.letrec<{ frame: CallFrame }>((tie) => ({
  frame: fc.record({
    type: fc.constantFrom(
      'CALL',
      'CALL',
      'CALL',
      'CREATE',
      'CREATE2',
      'DELEGATECALL',
      'STATICCALL',
      'SELFDESTRUCT',
    ),
    from: address,
    to: address,
    value: fc.constantFrom('0x0', '0x1', '0x5', '0xde0b6b3a7640000'),
    error: fc.oneof(
      { weight: 4, arbitrary: fc.constant(undefined) },
      { weight: 1, arbitrary: fc.constant('reverted') },
    ),
    calls: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.constant([]),
      fc.array(tie('frame'), { maxLength: 3 }),
    ),
  }) as fc.Arbitrary<CallFrame>,
}));

const traced: fc.Arbitrary<readonly (readonly [Made, CallFrame])[]> = fc.array(fc.tuple(made, frame), {
  minLength: 1,
  maxLength: 8,
});

function hashesOf({ body }: Case): readonly string[] {
  const { result } = JSON.parse(body) as { result: { transactions: { hash: string }[] } };
  return result.transactions.map(({ hash }) => hash);
}

/** As geth tells it. */
function toCallTraces(whole: Case, frames: readonly CallFrame[]): CallTrace[] {
  return hashesOf(whole).map((txHash, index) => ({ txHash, result: frames[index] }));
}

/** As nodes with an index tell it. */
function toParityTraces(whole: Case, frames: readonly CallFrame[]): ParityTrace[] {
  return hashesOf(whole).flatMap((hash, index) => flatten(whole, hash, frames[index]!, []));
}

function flatten(
  whole: Case,
  hash: string,
  { type, from, to, value, error, calls }: CallFrame,
  path: readonly number[],
): ParityTrace[] {
  const place = {
    traceAddress: path,
    transactionHash: hash,
    blockHash: whole.ref.hash,
    error,
  };
  const step = (): Pick<ParityTrace, 'type' | 'action' | 'result'> => {
    if (type === 'SELFDESTRUCT')
      return { type: 'suicide', action: { address: from, refundAddress: to!, balance: value! } };
    if (type.startsWith('CREATE'))
      return { type: 'create', action: { from, value: value! }, result: { address: to! } };
    return { type: 'call', action: { callType: type.toLowerCase(), from, to: to!, value: value! } };
  };
  return [
    { ...step(), ...place },
    ...(calls ?? []).flatMap((call, index) => flatten(whole, hash, call, [...path, index])),
  ];
}

describe('blocks with traces', () => {
  it('are the same from both kinds of nodes, whatever is in them', async () => {
    let moves = 0;
    await fc.assert(
      fc.asyncProperty(traced, fc.integer({ min: 1, max: 1e9 }), async (items, number) => {
        const whole = await assemble(
          items.map(([item]) => item),
          number,
        );
        const frames = items.map(([, top]) => top);
        const [indexed, run] = await Promise.all([
          read({ whole, method: 'trace_block', traces: toParityTraces(whole, frames) }),
          read({ whole, method: 'debug_traceBlockByHash', traces: toCallTraces(whole, frames) }),
        ]);
        expect(plain(run)).toEqual(plain(indexed));
        moves += run.transactions.flatMap(({ transfers }) => transfers).filter(isInternal).length;
      }),
      { numRuns: RUNS, seed: SEED },
    );
    // There must have been some, or the test proves nothing about traces.
    expect(moves).toBeGreaterThan(RUNS);
  });

  const whole = assemble(fixedItems(), 9);
  const [payer, payee] = [`0x${'c1'.repeat(20)}`, `0x${'c2'.repeat(20)}`];
  const inner = { type: 'CALL', from: payer, to: payee, value: '0x7' };
  const frames: readonly CallFrame[] = [0, 1, 2, 3].map((index) => ({
    type: 'CALL',
    from: payer,
    to: payee,
    value: '0x5',
    calls: index % 2 === 0 ? [inner] : [],
  }));

  it('tell who is paid inside of a transaction', async () => {
    const made = await whole;
    const block = await read({ whole: made, method: 'trace_block', traces: toParityTraces(made, frames) });
    const paid = block.transactions.filter(({ transfers }) => transfers.some(({ to }) => to === payee));
    expect(paid.map(({ index }) => index)).toEqual([0, 2]);
    expect(paid[0]?.transfers.at(-1)).toEqual({
      index: 2,
      type: 'internal',
      assetGid: network.native!.gid,
      from: payer,
      to: payee,
      amountRaw: 7n,
      isAttested: true,
    });
  });

  type Change = (traces: (ParityTrace & CallTrace & Record<string, unknown>)[]) => unknown;
  const refused: readonly [string, Served['method'], Change][] = [
    ['omits the traces of a transaction', 'trace_block', (traces) => traces.splice(0, 2)],
    ['omits the last trace', 'trace_block', (traces) => traces.pop()],
    ['omits all traces', 'trace_block', (traces) => traces.splice(0)],
    ['omits a top call', 'trace_block', (traces) => traces.shift()],
    [
      'gives traces of another block',
      'trace_block',
      (traces) => (traces[1] = { ...traces[1]!, blockHash: `0x${'ab'.repeat(32)}` }),
    ],
    [
      'gives traces of a transaction that is not there',
      'trace_block',
      (traces) => traces.push({ ...traces[0]!, transactionHash: `0x${'ab'.repeat(32)}` }),
    ],
    [
      'gives a value that is none',
      'trace_block',
      (traces) => (traces[1] = { ...traces[1]!, action: { ...traces[1]!.action, value: '0x1g' } }),
    ],
    [
      'gives a trace without an action',
      'trace_block',
      (traces) => Object.assign(traces[1]!, { action: undefined }),
    ],
    ['gives a trace that is none', 'trace_block', (traces) => traces.push(null as never)],
    ['omits the trace of a transaction', 'debug_traceBlockByHash', (traces) => traces.pop()],
    ['gives a trace too many', 'debug_traceBlockByHash', (traces) => traces.push(traces[0]!)],
    ['swaps two traces', 'debug_traceBlockByHash', (traces) => traces.reverse()],
    [
      'failed at a trace',
      'debug_traceBlockByHash',
      (traces) => (traces[2] = { txHash: traces[2]!.txHash, error: 'timeout' } as never),
    ],
    [
      'tells an end without its value',
      'debug_traceBlockByHash',
      (traces) =>
        (traces[0] = {
          ...traces[0]!,
          result: { ...frames[0]!, calls: [{ type: 'SELFDESTRUCT', from: payer, to: payee }] },
        }),
    ],
  ];

  it.each(refused)('are refused of a node that %s (%s)', async (_, method, change) => {
    const made = await whole;
    const right = method === 'trace_block' ? toParityTraces(made, frames) : toCallTraces(made, frames);
    expect((await read({ whole: made, method, traces: right })).transactions).toHaveLength(4);
    const traces = structuredClone(right);
    change(traces as Parameters<Change>[0]);
    expect(traces).not.toEqual(right);
    await expect(read({ whole: made, method, traces })).rejects.toMatchObject({
      retryable: true,
      message: expect.stringMatching(/expected|could not be read/) as string,
    });
  });

  it.each([null, {}, 'traces', 5])('are refused with %j for traces', async (traces) => {
    await expect(read({ whole: await whole, method: 'trace_block', traces })).rejects.toMatchObject({
      retryable: true,
    });
  });
});

function isInternal({ type }: { readonly type: string }): boolean {
  return type === 'internal';
}
