// SPDX-License-Identifier: Apache-2.0
import { Pool } from 'undici';

/** The floor: a loop that only fetches the blocks, their receipts and traces, and parses them. Returns milliseconds. */
export async function measureFloor(
  url: string,
  {
    from,
    to,
    hasTraces = false,
  }: { readonly from: number; readonly to: number; readonly hasTraces?: boolean },
): Promise<number> {
  const pool = new Pool(url, { connections: 4 });
  const call = async (method: string, params: unknown[]): Promise<unknown> => {
    const { body } = await pool.request({
      method: 'POST',
      path: '/',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    });
    return JSON.parse(await body.text());
  };
  const started = performance.now();
  for (let number = from; number <= to; number += 1) {
    const tag = `0x${number.toString(16)}`;
    await Promise.all([
      call('eth_getBlockByNumber', [tag, true]),
      call('eth_getBlockReceipts', [tag]),
      ...(hasTraces ? [call('trace_block', [tag])] : []),
    ]);
  }
  const elapsedMs = performance.now() - started;
  await pool.close();
  return elapsedMs;
}
