// SPDX-License-Identifier: Apache-2.0
import { ChainClientError, type RpcAnswer } from '@chainwatch/chain-core';
import { decodeFunctionData, encodeFunctionResult, multicall3Abi, type Hex } from 'viem';
import { callContracts } from './call-contracts.ts';
import { MULTICALL3_ADDRESS } from './multicall.ts';
import type { Session } from './session.ts';

const WORD = `0x${'7'.padStart(64, '0')}`;
const BURNER = `0x${'b'.repeat(40)}`;
const HONEST = `0x${'a'.repeat(40)}`;

/** A node that runs calls with an amount of gas: a burner leaves none for the calls behind it. */
function makeSession(error: ChainClientError): { session: Session; separate: string[] } {
  const separate: string[] = [];
  const transport = {
    call: async (_method: string, [{ to, data }]: [{ to: string; data: Hex }]) => {
      expect(to).toBe(MULTICALL3_ADDRESS);
      const { args } = decodeFunctionData({ abi: multicall3Abi, data });
      let hasGas = true;
      const result = (args as unknown as [{ target: string }[]])[0].map(({ target }) => {
        hasGas &&= target.toLowerCase() !== BURNER;
        return { success: hasGas, returnData: hasGas ? (WORD as Hex) : ('0x' as const) };
      });
      return encodeFunctionResult({ abi: multicall3Abi, functionName: 'aggregate3', result });
    },
    callMany: async (calls: readonly { params: readonly unknown[] }[]): Promise<RpcAnswer[]> =>
      calls.map(({ params: [call] }) => {
        const { to } = call as { to: string };
        separate.push(to);
        return to === BURNER ? { type: 'error', error } : { type: 'result', result: WORD };
      }),
  };
  return { session: { transport, capabilities: { hasMulticall: true } } as unknown as Session, separate };
}

const nodeError = (nodeCode: number, message: string): ChainClientError =>
  new ChainClientError(message, { nodeCode });

it.each([
  [-32000, 'out of gas: gas required exceeds: 50000000'],
  [-32603, 'EVM error OutOfGas'],
  [-32015, 'VM execution error.'],
  [-32000, 'execution aborted (timeout = 5s)'],
  [3, 'execution reverted'],
])('asks again for what failed behind a contract that burns all gas (%i %s)', async (code, message) => {
  const { session, separate } = makeSession(nodeError(code, message));
  const calls = [HONEST, BURNER, HONEST].map((to) => ({ to, data: '0x' }));
  expect(await callContracts(session, { calls, block: 'latest' })).toEqual([WORD, undefined, WORD]);
  expect(separate).toEqual([BURNER, HONEST]);
});

it("does not take a node's own trouble for an answer of the contract", async () => {
  const { session } = makeSession(nodeError(-32005, 'rate limit exceeded'));
  const calls = [HONEST, BURNER].map((to) => ({ to, data: '0x' }));
  await expect(callContracts(session, { calls, block: 'latest' })).rejects.toThrow('rate limit');
});
