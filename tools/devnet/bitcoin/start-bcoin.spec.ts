// SPDX-License-Identifier: Apache-2.0
import { startBcoin } from './start-bcoin.ts';

describe('startBcoin', () => {
  it('mines, reorganizes and answers errors', async () => {
    const bcoin = await startBcoin();
    await bcoin.mine(3);
    await bcoin.reorg({ depth: 2 });
    expect(await bcoin.readHeight()).toBe(4);
    await expect(bcoin.call('getnothing')).rejects.toMatchObject({ name: 'BitcoinRpcError', code: -32601 });
    if (process.env.CHAINWATCH_DEVNET_BITCOIN_URL) return;
    await bcoin.kill();
    await expect(bcoin.readHeight()).rejects.toThrow();
  });
});
