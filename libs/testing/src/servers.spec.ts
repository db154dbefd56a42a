// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { startAnvil, startRedis, waitFor } from './index.ts';

describe('startAnvil', () => {
  it('mines, reverts and answers errors', async () => {
    const anvil = await startAnvil();
    const snapshot = await anvil.snapshot();
    await anvil.mine(3);
    expect(await anvil.blockNumber()).toBe(3);
    await anvil.revert(snapshot);
    expect(await anvil.blockNumber()).toBe(0);
    await expect(anvil.rpc('eth_nothing')).rejects.toThrow('eth_nothing');
    await anvil.kill();
    await expect(anvil.blockNumber()).rejects.toThrow();
  });
});

describe('the servers', () => {
  it('end with a process that is killed', async () => {
    const script = `const { startRedis } = await import(${JSON.stringify(new URL('./start-redis.ts', import.meta.url).href)}); process.stdout.write(String((await startRedis()).port)); setInterval(() => {}, 1000);`;
    const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [chunk] = (await once(child.stdout, 'data')) as [Buffer];
    const port = Number(chunk.toString());
    child.kill('SIGKILL');
    const redis = await waitFor(() => startRedis({ port }).catch(() => undefined), {
      message: 'the port to be free',
    });
    await redis.stop();
  });
});
