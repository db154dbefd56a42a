// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync } from 'node:fs';
import { decodeCallTraces, decodeParityTraces } from './read-traces.ts';
import type { TransactionTrace } from './read-traces.ts';
import type { CallTrace, ParityTrace } from './raw-trace.ts';

// Recorded traces beside the repository: ../shared/fixtures/evm (see fixtures.md).
const folder = new URL('../../../../shared/fixtures/evm/', import.meta.url);
const isThere = existsSync(folder);
if (!isThere) console.log('skipped: recorded traces (../shared/fixtures/evm is absent)');

function read(file: string): unknown {
  const json = JSON.parse(readFileSync(new URL(file, folder), 'utf8')) as {
    result?: unknown;
    response?: { result: unknown };
  };
  return json.response?.result ?? json.result ?? json;
}

function decodeParity(traces: readonly ParityTrace[]): TransactionTrace[] {
  const hashes = [...new Set(traces.flatMap(({ transactionHash }) => transactionHash ?? []))];
  return decodeParityTraces({ number: 0, hash: traces[0]?.blockHash ?? '' }, hashes, traces);
}

function flat(traces: readonly TransactionTrace[]): unknown[] {
  return traces.flatMap(({ transfers }) =>
    transfers.map(({ from, to, amountRaw }) => [from, to, amountRaw.toString()]),
  );
}

(isThere ? describe : describe.skip)('recorded traces', () => {
  it.each(['block_with_create', 'block_with_error', 'block_with_subtraces'])(
    '%s: both kinds of node tell the same',
    (name) => {
      const number =
        { block_with_create: '0xf44f2', block_with_error: '0xf45bf', block_with_subtraces: '0xf4240' }[
          name
        ] ?? '';
      const parity = read(
        `ethereum-etl/test_export_traces_job/${name}/web3_response.trace_block_${number}.json`,
      ) as ParityTrace[];
      const calls = read(
        `ethereum-etl/test_extract_geth_traces_job/${name}/web3_response.debug_traceBlockByNumber_${number}_tracer_calltracer.json`,
      ) as CallTrace[];
      const hashes = [...new Set(parity.flatMap(({ transactionHash }) => transactionHash ?? []))];
      expect(decodeCallTraces({ number: 0, hash: '0x' }, hashes, calls)).toEqual(decodeParity(parity));
    },
  );

  it('a transaction before Byzantium that ran out of gas is known as failed', () => {
    const parity = read(
      'ethereum-etl/test_export_traces_job/block_with_error/web3_response.trace_block_0xf45bf.json',
    ) as ParityTrace[];
    expect(decodeParity(parity).filter(({ isFailed }) => isFailed)).toHaveLength(1);
  });

  it.each([
    'ethereum-2000044.trace_block.json',
    'ethereum-15537393.trace_block.json',
    'ethereum-etl/test_stream/blocks_508110_508110/web3_response.trace_block_0x7c0ce.json',
    'ethereum-etl/test_stream/blocks_2112234_2112234/web3_response.trace_block_0x203aea.json',
  ])('%s: value moves below the top call are exactly the listed ones that stood', (file) => {
    const traces = read(file) as ParityTrace[];
    const stood = traces.filter((trace) => {
      const above = traces.filter(
        ({ transactionHash, traceAddress }) =>
          transactionHash === trace.transactionHash &&
          traceAddress.every((step, at) => step === trace.traceAddress[at]),
      );
      return (
        typeof trace.transactionHash === 'string' &&
        trace.traceAddress.length > 0 &&
        above.every(({ error }) => error === undefined || error === null)
      );
    });
    const wanted = stood.flatMap(({ type, action, result }) => {
      if (type === 'suicide')
        return [[action.address, action.refundAddress, BigInt(action.balance ?? 0).toString()]];
      if (type === 'create') return [[action.from, result?.address, BigInt(action.value ?? 0).toString()]];
      return action.callType === 'call'
        ? [[action.from, action.to, BigInt(action.value ?? 0).toString()]]
        : [];
    });
    expect(flat(decodeParity(traces))).toEqual(wanted.filter(([, , value]) => value !== '0'));
  });

  it('373 traces of block 13404932 give their value moves', () => {
    const { traces } = read('ethereum-13404932.mev-inspect-traces.json') as {
      traces: Record<string, never>[];
    };
    const renamed = traces.map((trace) => ({
      ...trace,
      blockHash: trace['block_hash'],
      traceAddress: trace['trace_address'],
      transactionHash: trace['transaction_hash'],
    })) as unknown as ParityTrace[];
    const decoded = decodeParity(renamed);
    expect(decoded.length).toBeGreaterThan(50);
    expect(flat(decoded).length).toBeGreaterThan(20);
  });
});

describe('traces', () => {
  const ref = { number: 7, hash: '0xb10c' };
  const call = (over: object): object => ({ type: 'CALL', from: '0xA', to: '0xB', value: '0x1', ...over });
  const decodeOne = (calls: object[], over: object = {}): TransactionTrace | undefined =>
    decodeCallTraces(ref, ['0x1'], [
      { txHash: '0x1', result: { type: 'CALL', from: '0xa', calls, ...over } },
    ] as never)[0];

  it("leave out calls that keep the caller's balance, and everything below a failure", () => {
    const kept = decodeOne([
      call({ type: 'DELEGATECALL', calls: [call({ to: '0xC' })] }),
      call({ type: 'STATICCALL' }),
      call({ type: 'CALLCODE' }),
      call({ error: 'execution reverted', calls: [call({ to: '0xD' })] }),
      call({ type: 'CREATE2', to: '0xE', value: '0x2' }),
      call({ type: 'SELFDESTRUCT', to: '0xF', value: '0x3' }),
      call({ value: '0x0' }),
      call({ value: undefined }),
    ]);
    expect(kept?.transfers.map(({ to, amountRaw }) => [to, amountRaw])).toEqual([
      ['0xc', 1n],
      ['0xe', 2n],
      ['0xf', 3n],
    ]);
  });

  it('of a transaction that failed are empty', () => {
    expect(decodeOne([call({})], { error: 'out of gas' })).toEqual({ isFailed: true, transfers: [] });
  });

  it.each([
    ['are too few', ['0x1', '0x2'], [{ result: {} }]],
    ['are of another transaction', ['0x1'], [{ txHash: '0x2', result: {} }]],
    ['carry an error', ['0x1'], [{ error: 'execution timeout' }]],
    [
      'tell a SELFDESTRUCT without its value',
      ['0x1'],
      [
        {
          result: {
            type: 'CALL',
            from: '0xa',
            calls: [
              { type: 'CALL', from: '0xa', to: '0xb', value: '0x0', calls: [{ type: 'SELFDESTRUCT' }] },
            ],
          },
        },
      ],
    ],
  ])('that %s are a failure, not empty', (_, hashes, traces) => {
    expect(() => decodeCallTraces(ref, hashes, traces as never)).toThrow(
      expect.objectContaining({ code: 'incomplete_block' }) as Error,
    );
  });

  it("in Parity's form end at the failed call, wherever the list puts its children", () => {
    const step = (traceAddress: number[], over: object = {}): object => ({
      type: 'call',
      action: { callType: 'call', from: '0xA', to: '0xB', value: '0x1' },
      traceAddress,
      transactionHash: '0x1',
      blockHash: '0xb10c',
      ...over,
    });
    const traces = [
      step([]),
      step([0], { error: 'Reverted' }),
      step([0, 0]),
      step([1]),
      step([10]),
      { ...step([]), transactionHash: null, type: 'reward' },
    ];
    const [trace] = decodeParityTraces(ref, ['0x1'], traces as never);
    expect(trace).toEqual({
      isFailed: false,
      transfers: [1, 2].map(() => ({ from: '0xa', to: '0xb', amountRaw: 1n })),
    });
  });

  it('that are as many as a block has room for take no time of their own', () => {
    const step = (traceAddress: number[], over: object = {}): object => ({
      type: 'call',
      action: { callType: 'call', from: '0xA', to: '0xB', value: '0x1' },
      ...{ traceAddress, transactionHash: '0x1', blockHash: '0xb10c' },
      ...over,
    });
    // Compared with each other, these would be ten thousand million pairs.
    const failed = Array.from({ length: 150_000 }, (_, at) => step([at], { error: 'Out of gas' }));
    const [trace] = decodeParityTraces(ref, ['0x1'], [step([]), ...failed, step([150_000])] as never);
    expect(trace?.transfers).toHaveLength(1);
  });
});
