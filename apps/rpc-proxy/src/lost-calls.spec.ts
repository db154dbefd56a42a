// SPDX-License-Identifier: Apache-2.0
import { waitFor } from '@chainwatch/testing';
import { answerResult, sendJson, startSpecNode, type Answer, type SpecNode } from './spec-node.ts';
import { startSpecWorld, type SpecWorld } from './spec-world.ts';
import type { RpcProxy, RpcProxyOptions } from './start-rpc-proxy.ts';

// Calls at a node that will not answer them: which go to another one, and which stay.

type Gateway = RpcProxy & { readonly url: string };

const NAMES = ['one', 'two', 'three', 'four', 'five'];

let world: SpecWorld;
let nodes: SpecNode[];
let one: SpecNode;
let two: SpecNode;
/** Answers of the first node that wait until they are released. */
let held: (() => void)[];
const readTime = performance.now.bind(performance);

beforeAll(async () => {
  world = await startSpecWorld();
});
afterAll(async () => {
  await world.stop();
  expect(world.failures).toEqual([]);
});
beforeEach(async () => {
  held = [];
  nodes = await Promise.all(NAMES.map((name) => startSpecNode(answerResult(`"${name}"`))));
  [one, two] = nodes as [SpecNode, SpecNode];
});
afterEach(async () => {
  performance.now = readTime;
  for (const release of held) release();
  await world.stopGateways();
  await Promise.all(nodes.map((node) => node.stop()));
});

const upstreamsOf = ({ directory }: Gateway) => directory.find('ethereum')!.upstreams;

/** A gateway with the first nodes, which strongly prefers the first one. */
async function open(count: number, options: Partial<RpcProxyOptions> = {}): Promise<Gateway> {
  const gateway = await world.open(
    {
      'eip155:1': nodes
        .slice(0, count)
        .map(({ url }, index) => ({ url, weight: index === 0 ? 1_000 : 0.000_001, headers: {} })),
    },
    options,
  );
  const chain = gateway.directory.find('ethereum')!;
  await waitFor(() => chain.upstreams.every((upstream) => chain.serves(upstream)));
  return gateway;
}

async function post(gateway: Gateway, method: string): Promise<{ status: number; text: string }> {
  const response = await fetch(`${gateway.url}/ethereum`, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params: [] }),
    headers: { 'content-type': 'application/json', 'x-api-key': world.project.keys.rpc },
  });
  return { status: response.status, text: await response.text() };
}

const told = (name: string) => ({ status: 200, text: `{"jsonrpc":"2.0","id":1,"result":"${name}"}` });
const hold: Answer = (...seen) => void held.push(() => answerResult('"held"')(...seen));
const fail: Answer = (_seen, res) => sendJson(res, { body: 'failed', status: 500 });
const UNABLE = '{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"missing trie node"}}';

/**
 * Every node says at once that it is still there, however slow this machine is.
 * @returns whether one was asked: what is silent has been looked at
 */
function stayThere({ directory }: Gateway): () => boolean {
  let isAsked = false;
  directory.find('ethereum')!.probe = async () => (isAsked = true);
  return () => isAsked;
}

/** Health is checked once. */
const QUIET = { healthIntervalMs: 600_000 };

describe('a node that is out of service, but answers', () => {
  it('is waited for where every other one is down', async () => {
    const gateway = await open(2, QUIET);
    stayThere(gateway);
    one.answer = hold;
    two.answer = fail;
    upstreamsOf(gateway)[1]!.goDown('spec');
    const answer = post(gateway, 'eth_estimateGas');
    await waitFor(() => held.length === 1);
    upstreamsOf(gateway)[0]!.goDown('spec');
    const wasLookedAt = stayThere(gateway);
    await Promise.race([answer, waitFor(wasLookedAt)]);
    held.pop()!();
    expect(await answer).toEqual(told('held'));
    expect(two.seen).toEqual([]);
  });

  it('is waited for where it is the last one that may be asked', async () => {
    const gateway = await open(5, QUIET);
    stayThere(gateway);
    let count = 0;
    let last: SpecNode | undefined;
    for (const node of nodes)
      node.answer = (...seen) => {
        count += 1;
        if (count < 4) return fail(...seen);
        last = node;
        hold(...seen);
      };
    const answer = post(gateway, 'eth_estimateGas');
    await waitFor(() => last);
    upstreamsOf(gateway)[nodes.indexOf(last!)]!.goDown('spec');
    const wasLookedAt = stayThere(gateway);
    await Promise.race([answer, waitFor(wasLookedAt)]);
    held.pop()!();
    expect(await answer).toEqual(told('held'));
  });
});

describe('a node that hangs', () => {
  /** The first node hangs, and the second one was asked as well, because the first is slow. */
  async function openHung(second: Answer): Promise<Gateway> {
    const gateway = await open(2, QUIET);
    upstreamsOf(gateway)[0]!.latencies.hedgeDelayMs = () => 1;
    one.isSilent = true;
    two.answer = second;
    return gateway;
  }

  it('is left for one that has failed once', async () => {
    const gateway = await openHung((...seen) => {
      two.answer = answerResult('"two"');
      fail(...seen);
    });
    expect(await post(gateway, 'eth_estimateGas')).toEqual(told('two'));
    expect(two.seen).toHaveLength(2);
  });

  it('is not waited for where no other one can answer', async () => {
    const gateway = await openHung((_seen, res) => sendJson(res, { body: UNABLE }));
    // The call's own time never ends.
    const startedAt = readTime();
    performance.now = () => Math.min(readTime(), startedAt + 20_000);
    expect(await post(gateway, 'eth_estimateGas')).toEqual({ status: 200, text: UNABLE });
  });

  it('is left where it was the only one, and was replaced', async () => {
    const gateway = await open(1);
    one.answer = hold;
    const answer = post(gateway, 'eth_estimateGas');
    await waitFor(() => held.length === 1);
    one.isSilent = true;
    gateway.directory.setSources(
      gateway.directory.find('ethereum')!,
      [{ url: two.url, weight: 1, headers: {} }],
      [],
    );
    expect(await answer).toEqual(told('two'));
    // Nor is anything told of the one that is gone.
    expect([...gateway.directory.find('ethereum')!.outcomes.keys()]).toEqual(upstreamsOf(gateway));
  });
});

describe('calls that wait for their turn', () => {
  /** The first call of the key is at the first node and may not go to another one; the second one waits behind it. */
  async function openQueue(count: number) {
    const gateway = await open(count, { bounds: { callsPerKey: 1 } });
    stayThere(gateway);
    one.answer = hold;
    const first = post(gateway, 'eth_sendPrivateTransaction');
    await waitFor(() => held.length === 1);
    const second = post(gateway, 'eth_estimateGas');
    await waitFor(() => upstreamsOf(gateway)[0]!.inFlight === 2);
    return { gateway, first, second };
  }

  it.each([
    ['is down', () => (one.refusal = { status: 500, body: 'going down' })],
    ['turns out to serve another chain', () => (one.health.eth_chainId = () => '0x5')],
  ])('leave a node that %s', async (_name, spoil) => {
    const { first, second } = await openQueue(2);
    spoil();
    expect(await second).toEqual(told('two'));
    expect(one.seen).toHaveLength(1);
    one.refusal = undefined;
    held.pop()!();
    await first;
  });

  it('leave a node that is removed', async () => {
    const { gateway, first, second } = await openQueue(1);
    gateway.directory.setSources(
      gateway.directory.find('ethereum')!,
      [{ url: two.url, weight: 1, headers: {} }],
      [],
    );
    expect(await second).toEqual(told('two'));
    held.pop()!();
    await first;
  });

  it('are not sent to a node that turns out to serve another chain', async () => {
    const { gateway, first, second } = await openQueue(1);
    one.health.eth_chainId = () => '0x5';
    await waitFor(() => upstreamsOf(gateway)[0]!.isWrongChain);
    held.pop()!();
    expect((await first).status).toBe(200);
    expect((await second).status).toBe(502);
    expect(one.seen).toHaveLength(1);
  });
});

it('a second request that finds no room costs nothing of what second requests may be', async () => {
  const gateway = await open(2, { ...QUIET, bounds: { heldBytesPerKey: 200_000 } });
  stayThere(gateway);
  upstreamsOf(gateway)[0]!.latencies.hedgeDelayMs = () => 1;
  one.answer = hold;
  for (let round = 1; round <= 12; round += 1) {
    const answer = post(gateway, 'eth_estimateGas');
    await waitFor(() => gateway.tenants.refused.key === round && held.length === 1);
    held.pop()!();
    expect(await answer).toEqual(told('held'));
  }
  expect(gateway.directory.find('ethereum')!.hedges.hasOne).toBe(true);
});
