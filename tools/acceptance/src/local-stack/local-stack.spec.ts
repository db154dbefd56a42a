// SPDX-License-Identifier: Apache-2.0
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { spawnSync } from 'node:child_process';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { webhooks, type Chainwatch } from '@chainwatch/sdk';
import { findFreePort, openEventStream, waitFor, type PostgresHandle } from '@chainwatch/testing';
import { startPostgres } from '@chainwatch/data/testing';
import { startSolana, type SolanaHandle } from '@chainwatch/tool-devnet/start-solana';
import { startTron, type TronHandle } from '@chainwatch/tool-devnet/start-tron';
import { signPayload } from '@chainwatch/webhook-signature';
import { formatEther } from 'viem';
import { generatePrivateKey, privateKeyToAddress } from 'viem/accounts';
import pg from 'pg';
import { addressToScript, payFromWallet } from '../../../devnet/bitcoin/index.ts';
import { BITCOIN_CHAIN } from '../../../devnet/bitcoin/local-node.ts';
import { linesOf, startCommand, startHook, type Run } from '../cli/run-command.ts';
import { Browser, HAS_BROWSER } from '../dashboard/browser.ts';
import { Random } from '../random.ts';
import { LocalStack } from './local-stack.ts';
import { startExample, type Example } from './start-example.ts';

/** What a newcomer does beside `npm start`: the command without a login, and the programs of `examples`. */
const stack = new LocalStack();
const COIN = 'eip155:31337/slip44:60';
const FINAL_BLOCKS = 6;
const runs: Run[] = [];
const examples: Example[] = [];

beforeAll(() => stack.start());
afterEach(async () => {
  for (const { child } of runs.splice(0)) child.kill('SIGKILL');
  await Promise.all(examples.splice(0).map((example) => example.kill()));
});
afterAll(() => stack.stop());

const runWith = (env: Record<string, string>, ...args: string[]): Run => {
  const started = startCommand(stack.folder, { args, env });
  runs.push(started);
  return started;
};
const run = (...args: string[]): Run => runWith({}, ...args);

async function start(name: string, env: Record<string, string>, isReady = /^Listening on/): Promise<Example> {
  const example = await startExample(name, env, isReady);
  examples.push(example);
  return example;
}

/** So many that its first ones are final. */
async function startSolanaWithBlocks(): Promise<SolanaHandle> {
  const node = await startSolana();
  await node.produce(40);
  return node;
}

async function startTronWithBlocks(): Promise<TronHandle> {
  const tron = await startTron();
  await tron.node.mine(25);
  return tron;
}

const newAddress = (): string => privateKeyToAddress(generatePrivateKey());

/** Delivers everything that a channel had once more, and waits until all of it arrived. */
async function redeliverAll(client: Chainwatch): Promise<number> {
  let count = 0;
  for await (const { id: channel } of client.notificationChannels.list({ limit: 10 })) {
    const deliveries: string[] = [];
    for await (const { id } of client.notificationChannels.listDeliveries(channel, { limit: 100 }))
      deliveries.push(id);
    for (const delivery of deliveries) await client.notificationChannels.redeliver(channel, delivery);
    count += deliveries.length;
  }
  return count;
}

describe('the command', () => {
  it('trigger pays a watched address on the local chain, listen forwards the events, doctor and chains see the chain', async () => {
    const hook = await startHook();
    const listening = run(
      'listen',
      '--forward-to',
      hook.url,
      '--types',
      'transaction.detected,transaction.confirmed',
    );
    await waitFor(() => listening.seen.stderr.includes('CHAINWATCH_WEBHOOK_SECRET'));
    const triggered = await run('trigger', 'transaction.confirmed', '--json').ended;
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
      const [balance] = linesOf<{ balance: string }>((await run('balances', address, '--json').ended).stdout);
      return balance?.balance === '0.01';
    });
    const chains = linesOf<{ gid: string; status: string }>(
      (await run('chains', 'status', '--json').ended).stdout,
    );
    expect(new Map(chains.map(({ gid, status }) => [gid, status]))).toEqual(
      new Map([
        [stack.harness.chain.gid, 'following'],
        [BITCOIN_CHAIN, 'following'],
      ]),
    );
    const health = await run('doctor').ended;
    expect([health.code, health.stdout]).toEqual([0, expect.stringContaining('✓ eip155:31337: following')]);
  });

  it('trigger pays on another chain, also where the project watches addresses that the chain does not know', async () => {
    const { client, keys } = await stack.createProject();
    const mainnet = 'bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4';
    await client.addresses.createExternal({ value: mainnet, chain_family: 'bitcoin' });
    const trigger = (...args: string[]): Run['ended'] =>
      runWith({ CHAINWATCH_API_KEY: keys.api }, 'trigger', 'transaction.detected', ...args).ended;
    const paid = await trigger('--chain', 'bitcoin', '--json');
    expect([paid.code, paid.stderr]).toEqual([0, expect.stringContaining(` on ${BITCOIN_CHAIN} in `)]);
    const [, address = '', hash = ''] = /^Paid (bcrt1\w+) .* in (\w+)/.exec(paid.stderr)!;
    expect(JSON.parse(paid.stdout)).toMatchObject({
      type: 'transaction.detected',
      data: { transaction: { hash, chain_gid: BITCOIN_CHAIN } },
    });
    // The same one again, by the name of the chain.
    const again = await trigger('--chain', 'bitcoin-regtest', '--set', 'amount=0.02');
    expect([again.code, again.stderr]).toEqual([0, expect.stringContaining(`Paid ${address} `)]);
    const refused = await Promise.all([
      trigger('--chain', 'dogecoin'),
      trigger('--chain', 'bitcoin', '--to', mainnet),
      trigger('--chain', 'bitcoin', '--set', `from=${address}`),
      trigger('--chain', 'evm', '--set', 'from=me'),
    ]);
    for (const { code, stderr } of refused)
      expect([code, stderr]).toEqual([2, expect.not.stringMatching(/\n\s+at /)]);
    expect(refused.map(({ stderr }) => stderr)).toEqual([
      expect.stringContaining(`(eip155:31337, ${BITCOIN_CHAIN}), got dogecoin`),
      expect.stringContaining('The local chain did not take it'),
      expect.stringContaining('from'),
      expect.stringContaining('from=me'),
    ]);
  });
});

describe('bench-node', () => {
  /** What every node must be able to, and what the code of its family asks beyond. */
  const bench = async (url: string, chain: string): Promise<Map<string, string>> => {
    const { code, stdout, stderr } = await run('bench-node', url, '--chain', chain, '--json').ended;
    const abilities = linesOf<{ what: string; answer: string }>(stdout);
    expect([code, stderr, abilities.filter(({ answer }) => answer === 'fault')]).toEqual([0, '', []]);
    return new Map(abilities.map(({ what, answer }) => [what, answer]));
  };

  it.each<[string, () => Promise<{ readonly url: string; stop(): Promise<void> }>, string[]]>([
    [
      'eip155:31337',
      async () => ({ url: stack.harness.chain.url, stop: async () => undefined }),
      ['finality', 'old blocks', 'old balances'],
    ],
    [
      BITCOIN_CHAIN,
      async () => ({ url: stack.bitcoin.url, stop: async () => undefined }),
      ['old blocks', 'mempool'],
    ],
    ['solana:localnet', startSolanaWithBlocks, ['finality']],
    ['tron:0x7a69', startTronWithBlocks, ['finality', 'old blocks']],
  ])('%s: its chain, latency and one complete block, and what it can', async (chain, startNode, able) => {
    const node = await startNode();
    try {
      const abilities = await bench(node.url, chain);
      for (const what of ['chain', 'latency', 'block', ...able])
        expect([what, abilities.get(what), ...abilities]).toEqual([what, 'yes', ...abilities]);
    } finally {
      await node.stop();
    }
  });

  it('says that a node is of another chain, that a block is missing, and that nobody answers', async () => {
    const { url } = stack.harness.chain;
    const [other, missing, nobody] = await Promise.all([
      run('bench-node', url, '--chain', 'ethereum').ended,
      run('bench-node', url, '--chain', 'eip155:31337', '--block', '1000000').ended,
      run('bench-node', `http://127.0.0.1:${await findFreePort()}`, '--chain', 'tron').ended,
    ]);
    expect([other.code, missing.code, nobody.code]).toEqual([4, 4, 4]);
    expect(other.stdout).toMatch(/^✗ chain: /);
    expect(missing.stdout).toContain('✗ header: it has no block 1000000');
    expect(nobody.stdout).toMatch(/^✗ chain: .*(ECONNREFUSED|refused)/);
  });
});

describe('examples/deposit-service', () => {
  let postgres: PostgresHandle;
  let db: pg.Client;
  beforeAll(async () => {
    postgres = await startPostgres({ isMigrated: false });
    db = new pg.Client({ connectionString: postgres.url });
    await db.connect();
  });
  afterAll(async () => {
    await db.end();
    await postgres.stop();
  });

  const PAYMENTS = 16;
  const KILLS = 5;

  it('credits each payment exactly once through SIGKILLs at random, repeated and late webhooks, and a reorg', async () => {
    const { client, env } = await stack.createProject();
    const port = await findFreePort();
    const url = `http://127.0.0.1:${port}`;
    const restart = (): Promise<Example> =>
      start('deposit-service', { ...env, PORT: String(port), DATABASE_URL: postgres.url });
    let service = await restart();
    const customers = new Map(['ada', 'bob'].map((id) => [id, newAddress()]));
    for (const [id, address] of customers) {
      const response = await fetch(`${url}/customers/${id}`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ address }),
      });
      expect(await response.json()).toEqual({ id, address, balances: {} });
    }

    const seed = Number(process.env.SEED ?? Date.now() % 1_000_000);
    const random = new Random(seed);
    const expected = new Map<string, bigint>();
    const payAll = async (): Promise<void> => {
      for (let payment = 0; payment < PAYMENTS; payment += 1) {
        // Each of them at least once.
        const [id, address] = [...customers][payment] ?? random.pick([...customers]);
        const wei = BigInt(random.int(1, 1_000_000_000)) * 1_000_000_007n;
        await stack.pay(address, wei);
        expected.set(id, (expected.get(id) ?? 0n) + wei);
        await delay(random.int(0, 500));
      }
    };
    const killAgain = async (): Promise<void> => {
      for (let kill = 0; kill < KILLS; kill += 1) {
        await delay(random.int(0, 2_000));
        await service.kill();
        service = await restart();
      }
    };
    await Promise.all([payAll(), killAgain()]);

    const readBalances = async (): Promise<Record<string, string | undefined>> => {
      const found = [...customers.keys()].map(async (id) => {
        const answer = await fetch(`${url}/customers/${id}`);
        const { balances } = (await answer.json()) as { balances: Record<string, string> };
        return [id, balances[COIN]] as const;
      });
      return Object.fromEntries(await Promise.all(found));
    };
    const owed = (): Record<string, string> =>
      Object.fromEntries([...customers.keys()].map((id) => [id, formatEther(expected.get(id) ?? 0n)]));
    const message = (): string => `${JSON.stringify(owed())}, seed ${seed}:\n${service.lines.join('\n')}`;
    // A webhook that met only kills is sent again every five seconds.
    await waitFor(async () => JSON.stringify(await readBalances()) === JSON.stringify(owed()), {
      message,
      timeoutMs: 900_000,
    });

    // At least once means: again.
    const seen = service.lines.length;
    const repeated = await redeliverAll(client);
    expect(repeated).toBe(PAYMENTS);
    const isRepeat = (line: string): boolean => line.endsWith('changed nothing');
    await waitFor(() => service.lines.slice(seen).filter(isRepeat).length >= repeated, { message });
    expect(await readBalances()).toEqual(owed());

    await expectReorgs({ client, url, readBalances, secret: await readSecret(db) });
    expect(await readBalances()).toEqual(owed());
  }, 1_800_000);

  it('refuses what is not signed, and makes a channel anew where its own is gone', async () => {
    const { env } = await stack.createProject();
    const secret = await readSecret(db);
    const port = await findFreePort();
    await start('deposit-service', { ...env, PORT: String(port), DATABASE_URL: postgres.url });
    const post = await fetch(`http://127.0.0.1:${port}/webhooks/chainwatch`, { method: 'POST', body: '{}' });
    expect([post.status, await post.text()]).toEqual([400, 'missing_header']);
    expect((await fetch(`http://127.0.0.1:${port}/customers/nobody`)).status).toBe(404);
    // The channel that it remembers is another project's.
    expect(await readSecret(db)).not.toBe(secret);
  });
});

async function readSecret(db: pg.Client): Promise<string> {
  const { rows } = await db.query<{ secret: string }>(`SELECT value->>'secret' AS secret FROM settings`);
  return rows[0]!.secret;
}

/** What a reorg sends, in the order of a bad day: taken back, a late confirmation from before, confirmed again. */
async function expectReorgs({
  client,
  url,
  readBalances,
  secret,
}: {
  readonly client: Chainwatch;
  readonly url: string;
  readonly readBalances: () => Promise<unknown>;
  readonly secret: string;
}): Promise<void> {
  const { items } = await client.events.list({ types: ['transaction.confirmed'], limit: 1 });
  const event = items[0]!;
  const post = async (type: string, sequence: number): Promise<unknown> => {
    const body = JSON.stringify({ ...event, type, sequence, event_id: randomUUID() });
    const signature = signPayload({ secrets: [secret], timestamp: Math.floor(Date.now() / 1_000), body });
    const response = await fetch(`${url}/webhooks/chainwatch`, {
      method: 'POST',
      body,
      headers: { 'content-type': 'application/json', 'x-webhook-signature': signature },
    });
    expect(response.status).toBe(204);
    return readBalances();
  };
  const before = await readBalances();
  const later = event.sequence! + 1_000;
  const after = await post('transaction.reorged', later);
  expect(after).not.toEqual(before);
  expect(await post('transaction.confirmed', later - 1)).toEqual(after);
  expect(await post('transaction.reorged', later + 1)).toEqual(after);
  expect(await post('transaction.confirmed', later + 2)).toEqual(before);
  expect(await post('transaction.confirmed', later + 2)).toEqual(before);
}

describe('examples/checkout-page', () => {
  const payBitcoin = (address: string, value: bigint): Promise<unknown> =>
    payFromWallet(stack.bitcoin, [{ script: addressToScript(address), value }]);
  let env: Record<string, string>;
  let url: string;
  beforeAll(async () => {
    ({ env } = await stack.createProject());
    url = `http://127.0.0.1:${await findFreePort()}`;
    env = { ...env, PORT: new URL(url).port };
  });
  const order = async (amount: unknown): Promise<Response> =>
    fetch(`${url}/orders`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ amount }),
    });

  it('gives each order an address of its own, and tells its way: in part, in full, confirmed, through a SIGKILL', async () => {
    const shop = await start('checkout-page', env);
    expect((await order('-1')).status).toBe(400);
    const [one, other] = (await Promise.all(
      [await order('50000'), await order('50000')].map((response) => response.json()),
    )) as [{ address: string }, { address: string }];
    expect(one.address).not.toBe(other.address);
    const follow = async (): Promise<() => string[]> => {
      const stream = await openEventStream(`${url}/orders/${one.address}/events`, {});
      return () => stream.events.map(({ data }) => (JSON.parse(data) as { status: string }).status);
    };
    const before = await follow();
    await payBitcoin(one.address, 20_000n);
    await waitFor(() => before().at(-1) === 'partial', { message: () => before().join() });
    await shop.kill();
    await payBitcoin(one.address, 30_000n);
    const again = await start('checkout-page', env);
    const after = await follow();
    await waitFor(() => after().at(-1) === 'seen', { message: () => after().join() });
    await stack.bitcoin.mine(FINAL_BLOCKS);
    await waitFor(() => after().at(-1) === 'paid', { message: () => after().join() });
    const ranks = after().map((status) => ['waiting', 'partial', 'seen', 'paid'].indexOf(status));
    expect(ranks).toEqual([...ranks].sort());
    const unpaid = await openEventStream(`${url}/orders/${other.address}/events`, {});
    await waitFor(() => unpaid.events.length > 0);
    expect(JSON.parse(unpaid.events[0]!.data)).toMatchObject({ status: 'waiting', seen: '0' });
    expect((await fetch(`${url}/orders/nonsense/events`)).status).toBe(404);
    unpaid.close();
    await again.kill();
  });

  (HAS_BROWSER ? it : it.skip)('has a page that shows it live', async () => {
    const browser = await Browser.open();
    await start('checkout-page', env);
    const { page } = browser;
    await page.goto(url);
    await page.click('#buy');
    await page.getByText('Waiting for your payment').waitFor();
    await payBitcoin((await page.textContent('#address'))!, 50_000n);
    await page.getByText('Your payment is here').waitFor();
    await stack.bitcoin.mine(FINAL_BLOCKS);
    await page.getByText('Paid. Thank you!').waitFor();
    expect([await page.textContent('#amount'), browser.faults]).toEqual(['0.0005', []]);
    await browser.close();
  });
});

describe('examples that store each event once', () => {
  let folder: string;
  beforeEach(() => (folder = mkdtempSync(join(tmpdir(), 'example-'))));
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  /** The events that a payment makes, both of them, for every payment. */
  async function listEventIds(client: Chainwatch, payments: number): Promise<string[]> {
    const ids: string[] = [];
    await waitFor(async () => {
      ids.length = 0;
      for await (const { event_id: id } of client.events.poll({
        after: 0,
        types: ['transaction.detected', 'transaction.confirmed'],
      }))
        ids.push(id);
      return ids.length === payments * 2;
    });
    return ids.sort();
  }

  it('nats-consumer, through a SIGKILL', async () => {
    const { client, env } = await stack.createProject();
    const file = join(folder, 'events.ndjson');
    const options = { ...env, NATS_URL: stack.harness.nats.url, EVENTS_FILE: file };
    const address = newAddress();
    await client.addresses.createExternal({ value: address, chain_family: 'evm' });
    const first = await start('nats-consumer', options, /^Reading/);
    await stack.pay(address, 1n);
    await waitFor(() => first.lines.length > 1, { message: () => first.lines.join('\n') });
    await first.kill();
    await stack.pay(address, 2n);
    const second = await start('nats-consumer', options, /^Reading/);
    const ids = await listEventIds(client, 2);
    const readIds = (): string[] =>
      linesOf<{ event_id: string }>(readFileSync(file, 'utf8')).map(({ event_id: id }) => id);
    await waitFor(() => readIds().length >= ids.length, { message: () => second.lines.join('\n') });
    expect(readIds().sort()).toEqual(ids);
  });

  it('python-receiver, through a SIGKILL and everything delivered twice', async () => {
    if (spawnSync('python3', ['-c', 'import sqlite3']).status !== 0) {
      process.stderr.write('skipped: python3 with sqlite3 could not be had\n');
      return;
    }
    const { client, env } = await stack.createProject();
    const port = String(await findFreePort());
    const options = { ...env, PORT: port, DATABASE_FILE: join(folder, 'events.sqlite') };
    const address = newAddress();
    await client.addresses.createExternal({ value: address, chain_family: 'evm' });
    const first = await start('python-receiver', options);
    await stack.pay(address, 1n);
    await waitFor(() => first.lines.length > 1, { message: () => first.lines.join('\n') });
    await first.kill();
    await stack.pay(address, 2n);
    const second = await start('python-receiver', options);
    const ids = await listEventIds(client, 2);
    const readIds = (): string[] => {
      const query = `import sqlite3,sys; print("\\n".join(row[0] for row in sqlite3.connect(sys.argv[1]).execute("SELECT event_id FROM events WHERE type IN ('transaction.detected', 'transaction.confirmed') ORDER BY 1")))`;
      const { stdout } = spawnSync('python3', ['-c', query, options.DATABASE_FILE], { encoding: 'utf8' });
      return stdout.trim().split('\n');
    };
    const message = (): string => second.lines.join('\n');
    await waitFor(() => readIds().length === ids.length, { message });
    expect(readIds()).toEqual(ids);
    const repeated = await redeliverAll(client);
    expect(repeated).toBeGreaterThanOrEqual(ids.length);
    const isRepeat = (line: string): boolean => line.endsWith('is there already');
    await waitFor(() => second.lines.filter(isRepeat).length >= repeated, { message });
    expect(readIds()).toEqual(ids);
    const refused = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body: '{}' });
    expect([refused.status, await refused.text()]).toEqual([400, 'missing_header']);
  });
});
