// SPDX-License-Identifier: Apache-2.0
import fc from 'fast-check';
import { decodeFunctionData, encodeFunctionResult, multicall3Abi } from 'viem';
import { decodeAggregate, encodeAggregate } from './multicall.ts';

const bytes = (min: number, max: number): fc.Arbitrary<`0x${string}`> =>
  fc
    .uint8Array({ minLength: min, maxLength: max })
    .map((value) => `0x${Buffer.from(value).toString('hex')}` as const);

describe('multicall', () => {
  it('encodes calls as viem decodes them', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ to: bytes(20, 20), data: bytes(4, 100) }), { maxLength: 20 }),
        (calls) => {
          const { functionName, args } = decodeFunctionData({
            abi: multicall3Abi,
            data: encodeAggregate(calls) as `0x${string}`,
          });
          expect(functionName).toBe('aggregate3');
          expect(
            (args?.[0] as { target: string; allowFailure: boolean; callData: string }[]).map(
              ({ target, allowFailure, callData }) => [target.toLowerCase(), allowFailure, callData],
            ),
          ).toEqual(calls.map(({ to, data }) => [to, true, data]));
        },
      ),
    );
  });

  it('decodes results as viem encodes them, failed ones as undefined', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ success: fc.boolean(), returnData: bytes(0, 100) }), { maxLength: 20 }),
        (results) => {
          const encoded = encodeFunctionResult({
            abi: multicall3Abi,
            functionName: 'aggregate3',
            result: results,
          });
          expect(decodeAggregate(encoded, results.length)).toEqual(
            results.map(({ success, returnData }) => (success ? returnData : undefined)),
          );
        },
      ),
    );
  });

  it('takes nothing else for a result', () => {
    fc.assert(
      fc.property(bytes(0, 300), (garbage) => {
        const decoded = decodeAggregate(garbage, 3);
        expect(decoded === undefined || decoded.length === 3).toBe(true);
      }),
    );
    expect(decodeAggregate('0x', 1)).toBeUndefined();
  });
});
