import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { webhooks } from '@chainwatch/sdk';
import { waitFor } from '@chainwatch/testing';
import { bootstrap } from '../../../db/src/bootstrap.ts';
import { EvmChain } from '../evm/evm-chain.ts';
import { Harness } from '../harness.ts';
import { linesOf, startCommand, startHook, type Run } from './run-command.ts';

/** What a newcomer does beside `npm start`: no login, two commands, a verified event. */
const harness = new Harness(new EvmChain({ epochBlocks: 2 }));
let folder: string;
const runs: Run[] = [];

beforeAll(async () => {
  await harness.start();
  // As the local chain of npm start does.
  await harness.chain.rpc('evm_setIntervalMining', [1]);
  const { keys } = await bootstrap(harness.db, { label: 'svc' });
  folder = mkdtempSync(join(tmpdir(), 'cli-'));
  mkdirSync(join(folder, '.chainwatch'));
  const chains = { 'bip122:0f9188f13cb7b2c71f2a335e3a4fc328': { endpoint_url: 'http://127.0.0.1:1' } };
  const stack = {
    api_url: harness.apiUrl,
    keys,
    chains: { ...chains, [harness.chain.gid]: { endpoint_url: harness.chain.url } },
  };
  writeFileSync(join(folder, '.chainwatch', 'stack.json'), JSON.stringify(stack));
});
afterAll(async () => {
  for (const { child } of runs) child.kill('SIGKILL');
  await harness.stop();
  rmSync(folder, { recursive: true, force: true });
});

const start = (...args: string[]): Run => {
  const run = startCommand(folder, args, {});
  runs.push(run);
  return run;
};

it('trigger pays a watched address on the local chain, listen forwards the events, doctor and chains see the chain', async () => {
  const hook = await startHook();
  const listening = start(
    'listen',
    '--forward-to',
    hook.url,
    '--types',
    'transaction.detected,transaction.confirmed',
  );
  await waitFor(() => listening.seen.stderr.includes('CHAINWATCH_WEBHOOK_SECRET'));
  const triggered = await start('trigger', 'transaction.confirmed', '--json').ended;
  expect([triggered.code, triggered.stderr]).toEqual([
    0,
    expect.stringMatching(/^Paid 0x\w+ on eip155:31337 in 0x/),
  ]);
  const [, address = '', hash = ''] = /^Paid (0x\w+) .* in (0x\w+)/.exec(triggered.stderr)!;
  await waitFor(() => hook.deliveries.length === 2, { message: () => listening.seen.stderr });
  const [, secret] = /CHAINWATCH_WEBHOOK_SECRET=(\S+)/.exec(listening.seen.stderr)!;
  const events = await Promise.all(
    hook.deliveries.map(({ body, headers }) => webhooks.unwrap(body, headers, secret)),
  );
  expect(events.map(({ type, data }) => [type, 'transaction' in data && data.transaction.hash])).toEqual([
    ['transaction.detected', hash],
    ['transaction.confirmed', hash],
  ]);
  listening.child.kill('SIGINT');
  expect((await listening.ended).code).toBe(0);
  await hook.close();

  await waitFor(async () => {
    const [balance] = linesOf<{ balance: string }>((await start('balances', address, '--json').ended).stdout);
    return balance?.balance === '0.01';
  });
  const chains = linesOf<{ gid: string; status: string }>(
    (await start('chains', 'status', '--json').ended).stdout,
  );
  expect(chains).toEqual([expect.objectContaining({ gid: harness.chain.gid, status: 'following' })]);
  const health = await start('doctor').ended;
  expect([health.code, health.stdout]).toEqual([0, expect.stringContaining('✓ eip155:31337: following')]);
});
