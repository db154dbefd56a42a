import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { BodyBytes } from '@chainwatch/chain-core';
import type { Block, BlockRef, Network } from '@chainwatch/chain-core';
import fc from 'fast-check';
import { decodeBlock } from './decode-block.ts';
import { evmNetworks, readTraits } from './networks.ts';
import { parseRawBlock, parseRawReceipts } from './parse-raw-block.ts';
import { canProveBytes, proveBytes } from './prove-bytes.ts';
import type { RawBlock } from './raw-block.ts';
import { assemble, fixedItems } from './spec-block.ts';
import type { Case } from './spec-block.ts';
import { expectSame, made, plain, withdrawal } from './spec-made.ts';
import { tamperings } from './spec-tamperings.ts';
import { verifyBlock } from './verify-block.ts';

const network = evmNetworks.find(({ gid }) => gid === 'eip155:31337') as Network;
const SEED = Number(process.env.PROVE_SEED ?? 7);
const RUNS = Number(process.env.PROVE_RUNS ?? 15);

/** A text as it may come over a socket. */
function bytesOf(text: string, chunkLength = 1_000): BodyBytes {
  const whole = Buffer.from(text);
  const chunks = [];
  for (let at = 0; at < whole.length; at += chunkLength) chunks.push(whole.subarray(at, at + chunkLength));
  return new BodyBytes(chunks);
}

/** The block that `verifyBlock` gives for the same answers. @throws where it refuses them */
async function readSlowly({ ref, body, receipts }: Case, of: Network): Promise<Block> {
  const block = parseRawBlock((JSON.parse(body) as { result: unknown }).result);
  const list = parseRawReceipts((JSON.parse(receipts) as { result: unknown }).result);
  return decodeBlock(of, await verifyBlock(ref, { block, receipts: list }, readTraits(of)));
}

function readQuickly({ ref, body, receipts }: Case, of: Network) {
  return proveBytes(
    { network: of, traits: readTraits(of) },
    { ref, body: bytesOf(body), receipts: bytesOf(receipts) },
  );
}

/** As one request for both brings them. */
function readTogether(list: string, ref: BlockRef) {
  const bytes = bytesOf(list);
  return proveBytes({ network, traits: readTraits(network) }, { ref, body: bytes, receipts: bytes });
}

const listOf = ({ body, receipts }: Case): string => `[${body},${receipts.replace('"id":1', '"id":2')}]`;

describe('blocks proved from bytes', () => {
  it('are those that are proved from parsed answers, whatever is in them', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(made, { minLength: 1, maxLength: 12 }),
        fc.integer({ min: 1, max: 1e9 }),
        fc.array(withdrawal, { maxLength: 20 }),
        async (items, number, withdrawals) => {
          const made = await assemble(items, number, withdrawals);
          const slow = await readSlowly(made, network);
          expectSame(readQuickly(made, network), slow);
          expectSame(readTogether(listOf(made), made.ref), slow);
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
  });

  it.each([1, 2, 15, 16, 17, 127, 128, 129, 130, 255, 256, 257, 272, 500, 4_097])(
    'with %i transactions, which is another trie',
    async (count) => {
      const [item] = fc.sample(
        made.filter(({ tx }) => tx.type === '0x2' && tx.accessList?.length === 0),
        { seed: SEED, numRuns: 1 },
      );
      const made_ = await assemble(
        Array.from({ length: count }, (_, index) => ({
          ...item!,
          tx: { ...item!.tx, nonce: `0x${index.toString(16)}` },
        })),
        5,
      );
      const quick = readQuickly(made_, network);
      expect(quick === undefined ? undefined : plain(quick)).toEqual(await readSlowly(made_, network));
    },
  );

  it.each([1, 15, 16, 17, 127, 128, 129, 257])('with %i withdrawals', async (count) => {
    const withdrawals = fc.sample(withdrawal, { seed: SEED, numRuns: count });
    const whole = await assemble(fixedItems(), 5, withdrawals);
    expectSame(readQuickly(whole, network), await readSlowly(whole, network));
    const list = JSON.stringify(withdrawals);
    for (const changed of [
      whole.body.replace(list, JSON.stringify(withdrawals.slice(1))),
      whole.body.replace(list, JSON.stringify([...withdrawals, ...withdrawals.slice(-1)])),
      whole.body.replace(/"amount":"0x./, '"amount":"0xe'),
      whole.body.replace('"withdrawals":', '"withdrawals":[],"withdrawals":'),
      whole.body.replace(list, 'null'),
    ]) {
      expect(changed).not.toBe(whole.body);
      expect(readQuickly({ ...whole, body: changed }, network)).toBeUndefined();
    }
  });

  it('with withdrawals so small that they stand in their branches, by the other way', async () => {
    const small = { index: '0x1', validatorIndex: '0x1', address: `0x${'a2'.repeat(20)}`, amount: '0x1' };
    const whole = await assemble(fixedItems(), 5, [small, small]);
    expect(readQuickly(whole, network)).toBeUndefined();
    expect((await readSlowly(whole, network)).balanceChanges).toHaveLength(3);
  });

  it('are however the node spaces its JSON', async () => {
    const [items] = fc.sample(fc.array(made, { minLength: 3, maxLength: 3 }), { seed: SEED, numRuns: 1 });
    const { ref, body, receipts } = await assemble(items!, 9);
    const spaced: Case = {
      ref,
      body: JSON.stringify(JSON.parse(body), null, '\t').replaceAll('\n', '\r\n '),
      receipts: ` ${JSON.stringify(JSON.parse(receipts), null, 2)}`,
    };
    expectSame(readQuickly(spaced, network), await readSlowly(spaced, network));
  });

  it.each<[string, (list: string) => string]>([
    ['in another order', (list) => JSON.stringify((JSON.parse(list) as unknown[]).toReversed())],
    ['with the same number', (list) => list.replace('"id":2', '"id":1')],
    ['with other numbers', (list) => list.replace('"id":1', '"id":7')],
    ['with longer numbers', (list) => list.replace('"id":1', '"id":11')],
    ['with texts for numbers', (list) => list.replace('"id":2', '"id":"2"')],
    ['without numbers', (list) => list.replace('"id":2,', '')],
    ['and one more', (list) => list.replace(/\]$/, ',{"jsonrpc":"2.0","id":3,"result":null}]')],
    ['but for one', (list) => JSON.stringify((JSON.parse(list) as unknown[]).slice(0, 1))],
    ['not as a list', (list) => list.slice(1, -1)],
    ['and more', (list) => `${list}]`],
  ])('are not taken from a list of both answers %s', async (_, change) => {
    const whole = await assemble(fixedItems(), 9);
    const slow = await readSlowly(whole, network);
    const list = listOf(whole);
    expectSame(readTogether(list, whole.ref), slow);
    expectSame(
      readTogether(
        list.replaceAll(/\{"jsonrpc":"2.0","id":(\d),/g, '{"result_":1,"id" : $1 ,"jsonrpc":"2.0",'),
        whole.ref,
      ),
      slow,
    );
    expect(change(list)).not.toBe(list);
    expect(readTogether(change(list), whole.ref)).toBeUndefined();
  });

  describe.each(tamperings)('are not taken from a node that %s', (_, tamper) => {
    it('whatever the other way says', async () => {
      const whole = await assemble(fixedItems(), 9);
      expectSame(readQuickly(whole, network), await readSlowly(whole, network));
      const changed = tamper(whole);
      expect(changed).not.toEqual(whole);
      expect(readQuickly({ ...whole, ...changed }, network)).toBeUndefined();
      // The refused answer leaves no state behind.
      expect(readQuickly(whole, network)).toBeDefined();
    });
  });

  it('are never what the other way refuses, however the bytes are changed', async () => {
    const outcomes = { proved: 0, left: 0, refused: 0 };
    await fc.assert(
      fc.asyncProperty(
        fc.array(made, { minLength: 1, maxLength: 4 }),
        fc.array(
          fc.record({
            side: fc.constantFrom('body' as const, 'receipts' as const),
            at: fc.noBias(fc.nat(999_999)).map((millionths) => millionths / 1_000_000),
            how: fc.constantFrom(
              'flip',
              'cut',
              'double',
              'space',
              'digit',
              'swap',
              'quote',
              'null',
              'capital',
              'escape',
            ),
            char: fc.constantFrom(...'0123456789abcdefxABCDEF"{}[],:\\ntu-.e '),
          }),
          { minLength: 40, maxLength: 40 },
        ),
        async (items, changes) => {
          const whole = await assemble(items, 77);
          for (const change of changes) {
            const changed = { ...whole, [change.side]: alter(whole[change.side], change) };
            const quick = readQuickly(changed, network);
            const slow = await readSlowly(changed, network).catch(() => undefined);
            if (quick !== undefined && slow === undefined)
              throw new Error(`proved what is refused: ${JSON.stringify(change)} ${changed[change.side]}`);
            if (quick !== undefined) expectSame(quick, slow!);
            outcomes[quick !== undefined ? 'proved' : slow !== undefined ? 'left' : 'refused'] += 1;
          }
        },
      ),
      { numRuns: RUNS, seed: SEED },
    );
    // Each of the three outcomes must have happened, or this test proves nothing.
    for (const count of Object.values(outcomes)) expect(count).toBeGreaterThan(RUNS);
  });

  it('are asked for only where every root has to come out, traced or not', () => {
    const of = (gid: string, trace: 'none' | 'trace_block', number = 17) =>
      canProveBytes(
        {
          traits: readTraits(evmNetworks.find((candidate) => candidate.gid === gid) as Network),
          capabilities: {
            receipts: 'by_hash',
            trace,
            hasBlockByHash: true,
            hasMulticall: true,
            hasLogs: true,
            hasSocket: true,
          },
        },
        { number, hash: '0x' },
      );
    expect([
      of('eip155:1', 'none'),
      of('eip155:1', 'trace_block'),
      of('eip155:42161', 'none'),
      of('eip155:42161', 'none', 22_207_817),
      of('eip155:137', 'none'),
      of('eip155:137', 'none', 32),
    ]).toEqual([true, true, false, true, true, false]);
  });
});

interface Change {
  readonly at: number;
  readonly how: string;
  readonly char: string;
}

function alter(text: string, { at, how, char }: Change): string {
  const place = Math.floor(at * text.length);
  const members = [...text.matchAll(/"(\w+)":("[^"]*"|null|true|false|\[\])/g)];
  const member = members[Math.floor(at * members.length)]!;
  const [pair, key] = member;
  const around = (changed: string): string =>
    text.slice(0, member.index) + changed + text.slice(member.index + pair.length);
  switch (how) {
    case 'flip':
      return text.slice(0, place) + char + text.slice(place + 1);
    case 'cut':
      return text.slice(0, place) + text.slice(place + 1);
    case 'space':
      return text.slice(0, place) + ' ' + text.slice(place);
    case 'double':
      return around(`${pair},"${key}":"0x${char}"`);
    case 'digit':
      return around(pair.replace(/[0-9a-f](?="$)/, (digit) => ((parseInt(digit, 16) + 1) & 15).toString(16)));
    case 'swap':
      return around(`"${key}x":"0x1",${pair}`);
    case 'capital':
      return around(pair.replace(/[a-f](?=[^a-f]*"$)/, (digit) => digit.toUpperCase()));
    case 'escape':
      return around(pair.replace(/^"./, `"\\u00${key!.charCodeAt(0).toString(16)}`));
    case 'quote':
      return around(pair.replaceAll('"', '\\"'));
    default:
      return around(`"${key}":null`);
  }
}

// Recorded mainnet blocks, beside the repository: ../shared/fixtures/evm (see fixtures.md).
const folder = new URL('../../../../shared/fixtures/evm/', import.meta.url);
const files = existsSync(folder) ? readdirSync(folder) : [];
const recorded = files
  .filter((file) => file.endsWith('.block.json') && files.includes(file.replace('.block.', '.receipts.')))
  .map((file) => file.slice(0, -'.block.json'.length));
if (recorded.length === 0)
  console.log('skipped: proving recorded EVM blocks from bytes (../shared/fixtures/evm is absent)');

/** Before Byzantium receipts have a state root in place of a status. */
const leftToTheOther = /frontier/;

(recorded.length === 0 ? describe.skip : describe)('recorded blocks', () => {
  it.each(recorded)('%s is the same either way', async (name) => {
    const wanted = name.startsWith('polygon')
      ? 'polygon'
      : name.startsWith('base')
        ? 'base'
        : name.startsWith('gnosis')
          ? 'gnosis'
          : 'ethereum';
    const of = evmNetworks.find((candidate) => candidate.name === wanted) as Network;
    const text = (part: string): string => readFileSync(new URL(`${name}.${part}.json`, folder), 'utf8');
    const { number, hash } = JSON.parse(text('block')) as RawBlock;
    const made = {
      ref: { number: Number(number), hash },
      body: `{"jsonrpc":"2.0","id":1,"result":${text('block')}}`,
      receipts: `{"id":1,"result":${text('receipts')},"jsonrpc":"2.0"}`,
    };
    const quick = readQuickly(made, of);
    if (leftToTheOther.test(name)) expect(quick).toBeUndefined();
    else expectSame(quick, await readSlowly(made, of));
  });
});
