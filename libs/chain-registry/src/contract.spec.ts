// SPDX-License-Identifier: Apache-2.0
import { writeFileSync } from 'node:fs';
import {
  ChainError,
  InvalidAddressError,
  InvalidAssetError,
  type Block,
  type ChainClient,
  type ChainFamily,
  type ChainFamilyName,
  type Network,
} from '@chainwatch/chain-core';
import {
  readFixture,
  readRecording,
  recordingFile,
  type Recording,
  ReplayNode,
  type Fault,
  type Habit,
} from './contract/fixtures.ts';
import { listLies } from './contract/list-lies.ts';
import { contentOf, write } from './contract/write-content.ts';
import { findFamilyNamed, findNetwork, findNotationNamed, listFamilies, listNetworks } from './index.ts';

const RECORD = { family: process.env['CONTRACT_RECORD_FAMILY'], url: process.env['CONTRACT_RECORD_URL'] };
const families = listFamilies().map(({ name }) => name);
const networkNamed = (name: string): Network => findNetwork(name)!;

describe.each(families)('the notation of %s', (name) => {
  const fixture = readFixture(name);
  const load = () => findNotationNamed(name);

  it('names its networks and what they are paid in', async () => {
    const notation = (await load())!;
    expect(listFamilies()).toContainEqual(expect.objectContaining({ name, namespace: notation.namespace }));
    for (const network of notation.catalogue.networks) {
      expect(network).toMatchObject({ family: name, gid: expect.stringMatching(`^${notation.namespace}:`) });
      expect(listNetworks()).toContain(network);
      for (const gid of [network.native!.gid, ...(network.native!.aliases ?? [])])
        expect(notation.parseAssetPath(network, gid.slice(gid.indexOf('/') + 1))).toBe(network.native!.gid);
    }
  });

  it('reads addresses, and what it wrote itself', async () => {
    const { parseAddress } = (await load())!;
    for (const { input, canonical, display } of fixture.addresses) {
      for (const text of [input, canonical, display])
        expect(parseAddress(text)).toMatchObject({ canonical, display });
    }
  });

  it.each(['', ' ', 'x', '0x', 'alice', '1'.repeat(200), '\u0000', ...listForeign(name)])(
    'refuses %j as an address, and as a token',
    async (input) => {
      const {
        catalogue: { networks },
        parseAddress,
        parseAssetPath,
      } = (await load())!;
      const failure = catchError(() => parseAddress(input));
      expect(failure).toBeInstanceOf(InvalidAddressError);
      expect(failure).toMatchObject({
        code: 'invalid_address',
        retryable: false,
        publicMessage: expect.stringContaining('expected'),
      });
      expect(
        catchError(() => parseAssetPath(networks[0]!, `${networks[0]!.tokenNamespace}:${input}`)),
      ).toBeInstanceOf(InvalidAssetError);
    },
  );

  it('refuses an address with any character exchanged, where it has a checksum', async () => {
    const { parseAddress } = (await load())!;
    for (const address of fixture.checksummed) {
      expect(parseAddress(address).display).toBe(address);
      for (const { answer } of listLies(address))
        expect(catchError(() => parseAddress(answer as string))).toBeInstanceOf(InvalidAddressError);
    }
  });

  it('refuses what is no asset', async () => {
    const {
      catalogue: { networks },
      parseAssetPath,
    } = (await load())!;
    for (const path of ['', ':', 'slip44:', 'slip44:999999', 'erc721:1', `slip44:${'1'.repeat(100)}`])
      expect(catchError(() => parseAssetPath(networks[0]!, path))).toBeInstanceOf(InvalidAssetError);
    if (fixture.token !== undefined)
      expect(parseAssetPath(networkNamed(fixture.network), fixture.token.path)).toBe(fixture.token.gid);
  });
});

describe.each(families)('a client of %s', (name) => {
  const fixture = readFixture(name);
  const network = networkNamed(fixture.network);
  const isRecording = RECORD.family === name;
  const clients: ChainClient[] = [];
  let family: ChainFamily;
  let recording: Recording;
  let node: ReplayNode;
  const open = (of: Network = network, timeoutMs = 20_000): ChainClient => {
    const client = family.createClient({ network: of, endpointUrl: node.url, timeoutMs });
    clients.push(client);
    return client;
  };

  beforeAll(async () => {
    family = (await findFamilyNamed(name))!;
    recording = isRecording ? { head: { number: 0, hash: '' }, exchanges: [] } : readRecording(name);
    node = new ReplayNode(recording.exchanges, isRecording ? RECORD.url : undefined);
    await node.start();
    if (isRecording) recording = { ...recording, head: await open().readHead() };
  });
  afterEach(() => {
    for (const client of clients.splice(0)) client.close();
    node.lie = node.fault = node.habit = undefined;
  });
  afterAll(async () => {
    await node.stop();
    const { number, hash } = recording.head;
    if (isRecording)
      writeFileSync(
        recordingFile(name),
        `${JSON.stringify({ head: { number, hash }, exchanges: node.exchanges }, null, 1)}\n`,
      );
  });

  it('tells its chain from another one', async () => {
    await open().verifyChain();
    await expect(open(networkNamed(fixture.otherNetwork)).verifyChain()).rejects.toMatchObject({
      code: 'wrong_chain',
      retryable: false,
    });
  });

  it('reads headers that hang together, as far as there are some', async () => {
    const client = open();
    const { number } = recording.head;
    const head = await client.readHead();
    const headers = await client.readHeaders(number - 2, number + 3);
    expect(headers.map((header) => header.number)).toEqual([number - 2, number - 1, number]);
    expect(headers.at(-1)).toEqual(head);
    for (const [index, header] of headers.slice(1).entries())
      expect(header.parentHash).toBe(headers[index]!.hash);
    expect(await client.findHeaderByNumber(number)).toEqual(head);
    expect(await client.findHeaderByHash(head.hash)).toEqual(head);
    expect(await client.findHeaderByNumber(number + 1)).toBeUndefined();
    expect(await client.findHeaderByHash(fixture.unknownHash)).toBeUndefined();
    const finalized = await client.findFinalized();
    expect(finalized === undefined ? 'depth' : 'tag').toBe(network.confirmation.type);
    expect(finalized?.number ?? 0).toBeLessThanOrEqual(number);
  });

  it('reads a block that keeps to the vocabulary', async () => {
    const block = await open().readBlock(recording.head);
    expect(block).toMatchObject(recording.head);
    expect(block.transactions.map(({ index }) => index)).toEqual(block.transactions.map((_, index) => index));
    expect(new Set(block.transactions.map(({ hash }) => hash)).size).toBe(block.transactions.length);
    const gidPattern = new RegExp(`^${network.gid}/`);
    for (const { transfers, from, to, fee, utxo } of block.transactions) {
      expect(transfers.map(({ index }) => index)).toEqual(
        transfers.map(({ index }) => index).toSorted((a, b) => a - b),
      );
      for (const address of [
        from,
        to,
        fee?.payer,
        ...transfers.flatMap((transfer) => [transfer.from, transfer.to]),
      ]) {
        if (address !== undefined) expect(family.parseAddress(address).canonical).toBe(address);
      }
      for (const { assetGid, amountRaw } of [...transfers, ...(fee === undefined ? [] : [fee])]) {
        expect(assetGid).toMatch(gidPattern);
        expect(amountRaw).toBeGreaterThanOrEqual(0n);
      }
      expect(utxo === undefined).toBe(family.utxo === undefined);
    }
    const moves = block.transactions.flatMap(({ transfers, utxo }) => [
      ...transfers,
      ...(utxo?.outputs ?? []),
    ]);
    expect(moves.length).toBeGreaterThan(1);
    // Bodies come from threads.
    expect(structuredClone(block)).toEqual(block);
  });

  it('matches outputs by a key that stands for an address', async () => {
    if (family.utxo === undefined) return;
    const { findAddress, matchKeyOf } = family.utxo;
    const block = await open().readBlock(recording.head);
    const addresses = block.transactions.flatMap(
      ({ utxo }) =>
        utxo?.outputs.map(({ matchKey }) => ({ matchKey, address: findAddress(network, matchKey) })) ?? [],
    );
    expect(addresses.some(({ address }) => address !== undefined)).toBe(true);
    for (const { matchKey, address } of addresses)
      if (address !== undefined) expect(matchKeyOf(family.parseAddress(address).canonical)).toBe(matchKey);
  });

  it('takes no other block than the true one, whatever a node changes, leaves out or tells twice', async () => {
    node.asked.clear();
    const honest = write(contentOf(await open().readBlock(recording.head)));
    const told: string[] = [];
    let count = 0;
    const isUnproved = (text: string): boolean =>
      fixture.unproved?.some((name) => text.includes(name)) === true;
    for (const key of [...node.asked].filter((asked) => !isUnproved(asked))) {
      for (const { at, answer } of listLies(node.answerTo(key))) {
        if (isUnproved(at)) continue;
        count += 1;
        node.lie = { key, answer };
        const client = open();
        const block = await client.readBlock(recording.head).catch((error: unknown) => error);
        client.close();
        if (
          block instanceof Error
            ? !(block instanceof ChainError && block.retryable)
            : write(contentOf(block as Block)) !== honest
        )
          told.push(`${key}${at}: ${block instanceof Error ? String(block) : 'another block'}`);
      }
    }
    expect(told).toEqual([]);
    expect(count).toBeGreaterThan(50);
  });

  it.each<[string, Fault]>([
    ['500', { status: 500, text: 'oops' }],
    ['429', { status: 429, text: '' }],
    ['401', { status: 401, text: 'Unauthorized' }],
    ['no JSON', { status: 200, text: '<html>' }],
    ['JSON of something else', { status: 200, text: '[1,"two",null]' }],
    ['no word', 'hangs up'],
    ['nothing in time', 'is silent'],
  ])('says what is wrong when a node answers with %s, and no secret', async (_name, fault) => {
    node.fault = fault;
    const client = open(network, fault === 'is silent' ? 100 : undefined);
    for (const ask of [
      () => client.readHead(),
      () => client.readBlock(recording.head),
      () => client.readHeaders(1, 2),
      () => client.verifyChain(),
    ]) {
      const error = await ask().then(
        () => undefined,
        (failure: unknown) => failure,
      );
      expect(error).toBeInstanceOf(ChainError);
      expect((error as ChainError).retryable).toBe(true);
      expect(`${(error as ChainError).message} ${(error as ChainError).publicMessage}`).not.toMatch(/secret/);
      expect((error as ChainError).publicMessage).not.toContain('127.0.0.1');
    }
  });

  it.each<Habit>(['sends interim responses', 'closes kept connections'])(
    'reads a node that %s as any other',
    async (habit) => {
      const honest = write(contentOf(await open().readBlock(recording.head)));
      node.habit = habit;
      node.dropped = 0;
      const client = open();
      await client.verifyChain();
      for (let count = 0; count < 3; count += 1)
        expect(await client.readHead()).toMatchObject(recording.head);
      expect(write(contentOf(await client.readBlock(recording.head)))).toBe(honest);
      if (habit === 'closes kept connections') expect(node.dropped).toBeGreaterThan(0);
    },
  );

  it('says that a block is not there, and stops when it is told to', async () => {
    const client = open();
    await expect(
      client.readBlock({ number: recording.head.number + 1, hash: fixture.unknownHash }),
    ).rejects.toMatchObject({ code: 'block_not_found', retryable: true });
    await expect(client.readHead(AbortSignal.abort())).rejects.toThrow();
    client.close();
  });
});

/** Addresses of the other families, but for those whose form the family reads as well. */
function listForeign(name: ChainFamilyName): string[] {
  const own = [name, ...(readFixture(name).alsoReads ?? [])];
  return families
    .filter((other) => !own.includes(other))
    .flatMap((other) => readFixture(other).addresses.map(({ input }) => input));
}

function catchError(run: () => unknown): unknown {
  try {
    return { returned: run() };
  } catch (error) {
    return error;
  }
}
