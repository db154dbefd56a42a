// SPDX-License-Identifier: Apache-2.0
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import fc from 'fast-check';
import { text } from 'node:stream/consumers';
import type { Dial } from '@chainwatch/chain-core';
import { findBlockedRange, parseAllowList } from './create-dial.ts';
import {
  assertAllowedUrl,
  BlockedAddressError,
  createDial,
  createHttpClient,
  OutboundUrlError,
  UnresolvableHostError,
} from './index.ts';

const { blocked_urls: blockedUrls } = JSON.parse(
  readFileSync(new URL('./blocked.vectors.json', import.meta.url), 'utf8'),
) as { blocked_urls: string[] };
const clientOf = (dial: Dial) => createHttpClient({ dial, connectTimeoutMs: 2_000 });

let canary: Server;
let port: number;
let reached = 0;
beforeAll(async () => {
  canary = createServer((_req, res) => res.end('reached')).on('connection', () => (reached += 1));
  await new Promise<void>((resolve) => canary.listen(0, '::', resolve));
  port = (canary.address() as AddressInfo).port;
});
afterEach(() => {
  reached = 0;
});
afterAll(() => canary.close());

const lookup = (dial: Dial, host: string, options: object) =>
  new Promise((resolve, reject) =>
    dial.lookup(host, options, (error, address, family) =>
      error ? reject(error) : resolve({ address, family }),
    ),
  );

function withPort(url: string): string {
  const parsed = new URL(url.replace(/^(ws|wss):/, 'http:'));
  parsed.protocol = 'http:';
  parsed.port = String(port);
  return parsed.href;
}

describe('a dial without an allow list', () => {
  const dial = createDial({ allow: [] });
  const client = clientOf(dial);
  afterAll(() => client.close());

  test.each(blockedUrls)('refuses %j when it is stored', async (url) => {
    await expect(assertAllowedUrl(url, dial)).rejects.toThrow(BlockedAddressError);
  });

  test('never reaches the canary by any spelling', async () => {
    for (const url of [
      ...blockedUrls.map(withPort),
      `http://localhost:${port}/`,
      `http://localhost.:${port}/`,
      `http://LOCALHOST:${port}/`,
    ]) {
      await expect(client.request({ url, method: 'GET' })).rejects.toThrow(
        /is blocked|could not be resolved/,
      );
    }
    expect(reached).toBe(0);
  });

  test('never reaches the canary from a bare socket, whatever getaddrinfo makes of the host', async () => {
    for (const host of ['localhost', '0x7f.1', '2130706433', '0177.0.0.1', '127.1', '0']) {
      const socket = connect({ host, port, lookup: dial.lookup as never });
      await expect(
        new Promise((resolve, reject) => socket.on('connect', resolve).on('error', reject)),
      ).rejects.toThrow();
      socket.destroy();
    }
    expect(reached).toBe(0);
  });

  test('tells API clients what was expected and no address', async () => {
    const error: unknown = await assertAllowedUrl('http://10.1.2.3/', dial).catch(
      (caught: unknown) => caught,
    );
    expect(error).toMatchObject({ code: 'blocked_address', retryable: false });
    expect((error as BlockedAddressError).publicMessage).toMatch(/publicly routable/);
    expect((error as BlockedAddressError).publicMessage).not.toMatch(/10\.1/);
  });

  test.each(['', 'example.com', 'http://', 'http://256.1.1.1/', '//127.0.0.1'])(
    'refuses %j as no URL',
    async (url) => {
      await expect(assertAllowedUrl(url, dial)).rejects.toThrow(OutboundUrlError);
    },
  );

  test.each(['file:///etc/passwd', 'gopher://8.8.8.8/', 'data:text/plain,x', 'javascript:alert(1)'])(
    'refuses the protocol of %s',
    async (url) => {
      await expect(assertAllowedUrl(url, dial)).rejects.toThrow(OutboundUrlError);
    },
  );
});

describe('a dial with an injected resolver', () => {
  const answer =
    (...addresses: string[]) =>
    () =>
      Promise.resolve(addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 })));

  test('gives the checked addresses, all or one, of the wanted family', async () => {
    const dial = createDial({ allow: [], resolve: answer('1.1.1.1', '2606:4700:4700::1111') });
    await expect(lookup(dial, 'a.example', { all: true })).resolves.toMatchObject({
      address: [{ address: '1.1.1.1' }, { address: '2606:4700:4700::1111' }],
    });
    await expect(lookup(dial, 'a.example', {})).resolves.toEqual({ address: '1.1.1.1', family: 4 });
    await expect(lookup(dial, 'a.example', { family: 6 })).resolves.toEqual({
      address: '2606:4700:4700::1111',
      family: 6,
    });
  });

  test('refuses a host when one of its addresses is blocked, even of the other family', async () => {
    const dial = createDial({ allow: [], resolve: answer('1.1.1.1', '::ffff:127.0.0.1') });
    await expect(lookup(dial, 'a.example', { all: true })).rejects.toThrow(BlockedAddressError);
    await expect(lookup(dial, 'a.example', { family: 4 })).rejects.toThrow(BlockedAddressError);
  });

  test('refuses a name that was fine when stored and points inside when dialled (rebinding)', async () => {
    const answers = ['1.1.1.1', '127.0.0.1'];
    const dial = createDial({ allow: [], resolve: () => answer(answers.shift() ?? '127.0.0.1')() });
    await assertAllowedUrl(`http://rebind.example:${port}/`, dial);
    const client = clientOf(dial);
    await expect(client.request({ url: `http://rebind.example:${port}/`, method: 'GET' })).rejects.toThrow(
      BlockedAddressError,
    );
    expect(reached).toBe(0);
    client.close();
  });

  test('dials the address it checked, resolving once a connection', async () => {
    let lookups = 0;
    const resolve = () => answer((lookups += 1) === 1 ? '127.0.0.1' : '10.0.0.1')();
    const client = clientOf(createDial({ allow: ['127.0.0.0/8'], resolve }));
    const { body } = await client.request({ url: `http://pinned.example:${port}/`, method: 'GET' });
    await expect(text(body)).resolves.toBe('reached');
    expect(lookups).toBe(1);
    client.close();
  });

  test('calls a host without an address, or with a failing resolver, unresolvable and worth a retry', async () => {
    const dial = createDial({ allow: [], resolve: answer() });
    await expect(assertAllowedUrl('http://none.example/', dial)).rejects.toMatchObject({
      code: 'unresolvable_host',
      retryable: true,
    });
    const broken = createDial({ allow: [], resolve: () => Promise.reject(new Error('SERVFAIL')) });
    await expect(assertAllowedUrl('http://none.example/', broken)).rejects.toThrow(UnresolvableHostError);
  });

  test('gives up on a resolver that hangs', async () => {
    const dial = createDial({ allow: [], resolve: () => new Promise(() => undefined) });
    await expect(assertAllowedUrl('http://slow.example/', dial, { timeoutMs: 20 })).rejects.toThrow(
      UnresolvableHostError,
    );
  });
});

describe('a dial that allows loopback', () => {
  test('reaches the canary and does not follow a redirect', async () => {
    const redirecting = createServer((_req, res) =>
      res.writeHead(302, { location: `http://127.0.0.1:${port}/` }).end(),
    );
    await new Promise<void>((resolve) => redirecting.listen(0, '127.0.0.1', resolve));
    const client = clientOf(createDial({ allow: ['127.0.0.0/8', '::1/128'] }));
    const response = await client.request({
      url: `http://127.0.0.1:${(redirecting.address() as AddressInfo).port}/`,
      method: 'GET',
    });
    await text(response.body);
    expect(response.status).toBe(302);
    expect(reached).toBe(0);
    await text((await client.request({ url: `http://[::1]:${port}/`, method: 'GET' })).body);
    expect(reached).toBe(1);
    client.close();
    redirecting.close();
  });
});

const vectors = JSON.parse(readFileSync(new URL('./blocked.vectors.json', import.meta.url), 'utf8')) as {
  blocked_addresses: string[];
  public_addresses: string[];
};

describe('findBlockedRange', () => {
  test.each(vectors.blocked_addresses)('blocks %s', (address) => {
    expect(findBlockedRange(address, [])).toEqual(expect.any(String));
  });

  test.each(vectors.public_addresses)('lets %s pass', (address) => {
    expect(findBlockedRange(address, [])).toBeUndefined();
  });

  test('blocks what is no address', () => {
    for (const text of ['', 'localhost', '1.2.3', '256.1.1.1', 'fe80:::1'])
      expect(findBlockedRange(text, [])).toBeDefined();
  });

  test('lets the operator allow a range and nothing beside it', () => {
    const allow = parseAllowList(['127.0.0.0/8', '::1/128', 'fd00::/8']);
    for (const address of ['127.0.0.1', '127.9.9.9', '::1', 'fd00::1'])
      expect(findBlockedRange(address, allow)).toBeUndefined();
    for (const address of [
      '10.0.0.1',
      '::2',
      'fc00::1',
      '169.254.169.254',
      '::ffff:127.0.0.1',
      '::127.0.0.1',
      '2002:7f00:1::1',
    ]) {
      expect(findBlockedRange(address, allow)).toBeDefined();
    }
  });

  test('checks the IPv4 address inside an allowed translation prefix', () => {
    const allow = parseAllowList(['64:ff9b::/96', '2002::/16', '2001::/32', '::ffff:0:0/96']);
    expect(findBlockedRange('64:ff9b::808:808', allow)).toBeUndefined();
    expect(findBlockedRange('::ffff:8.8.8.8', allow)).toBeUndefined();
    expect(findBlockedRange('2002:808:808::1', allow)).toBeUndefined();
    for (const address of [
      '64:ff9b::7f00:1',
      '64:ff9b::a9fe:a9fe',
      '::ffff:10.0.0.1',
      '2002:7f00:1::1',
      '2001:0:808:808:0:0:80ff:fffe',
    ]) {
      expect(findBlockedRange(address, allow)).toBeDefined();
    }
  });

  test('takes a bare address as a range of one', () => {
    const allow = parseAllowList(['127.0.0.1', '::1']);
    expect(findBlockedRange('127.0.0.1', allow)).toBeUndefined();
    expect(findBlockedRange('::1', allow)).toBeUndefined();
    expect(findBlockedRange('127.0.0.2', allow)).toBe('loopback');
  });

  test('says which entry of the allow list is no range', () => {
    expect(() => parseAllowList(['127.0.0.0/8', 'localhost'])).toThrow('got localhost');
  });

  test('blocks every IPv6 form that carries any IPv4 address', () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.constantFrom('::ffff:', '64:ff9b::', '::ffff:0:'), (ipv4, prefix) => {
        expect(findBlockedRange(`${prefix}${ipv4}`, [])).toBeDefined();
      }),
    );
  });
});
