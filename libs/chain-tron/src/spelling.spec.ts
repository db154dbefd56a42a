import fc from 'fast-check';
import type { Block, Network } from '@chainwatch/chain-core';
import type { EvmApi } from './evm-api.ts';
import { readEvmBlock } from './read-evm-block.ts';
import { readWalletBlock } from './read-wallet-block.ts';
import type { Session } from './session.ts';
import { describeFixtures } from './spec-fixtures.ts';
import { toEvmParts } from './spec-evm-block.ts';
import { readSpecBlock, withInfo } from './spec-node.ts';
import { tronNetworks } from './networks.ts';
import type { WalletApi } from './wallet-api.ts';

const network = tronNetworks.find(({ name }) => name === 'tron') as Network;
const TRIES = 2_000;
const SEED = 15;

type Json = string | number | boolean | null | { [key: string]: Json } | Json[];
type Path = readonly (string | number)[];

/** Where texts of hexadecimal digits stand. */
function listHex(json: Json, path: Path = []): Path[] {
  if (path.at(-1) === 'tokenId') return [];
  if (typeof json === 'string') return /^(?:0x)?[0-9a-f]*$/.test(json) ? [path] : [];
  if (typeof json !== 'object' || json === null) return [];
  return Object.entries(json).flatMap(([key, value]) => listHex(value, [...path, Array.isArray(json) ? Number(key) : key]));
}

function change(json: Json, [key, ...rest]: Path, edit: (text: string) => Json): Json {
  if (key === undefined) return edit(json as string);
  if (Array.isArray(json)) return json.with(key as number, change(json[key as number]!, rest, edit));
  const object = json as { [key: string]: Json };
  return { ...object, [key]: change(object[key]!, rest, edit) };
}

const spellings: Readonly<Record<string, (text: string) => Json>> = {
  'upper case': (text) => text.replace(/(?<=^(?:0x)?).*/, (digits) => digits.toUpperCase()),
  'upper case throughout': (text) => text.toUpperCase(),
  'one digit in upper case': (text) => text.replace(/[a-f](?=[^a-f]*$)/, (digit) => digit.toUpperCase()),
  '0X': (text) => `0X${text.replace(/^0x/, '')}`,
  'with or without 0x': (text) => (text.startsWith('0x') ? text.slice(2) : `0x${text}`),
  'without its first zero': (text) => text.replace(/^(0x)?0/, '$1'),
  'with a zero in front': (text) => text.replace(/^(0x)?/, '$10'),
  // Of a quantity it would be another.
  'without its last digit': (text) => (text.length < 40 ? text : text.slice(0, -1)),
  'a space behind it': (text) => `${text} `,
  empty: () => '',
  'nothing but 0x': () => '0x',
  null: () => null,
};

/** Another word, not another spelling: a log without data, and where nothing proves who it was, nobody. */
function isOther(path: Path, name: string): boolean {
  const member = String(path.at(-1));
  if (member === 'data') return ['empty', 'nothing but 0x', 'null'].includes(name);
  return ['from', 'to', 'contractAddress'].includes(member) && ['nothing but 0x', 'null'].includes(name);
}

/** Reads what a node tells in whatever spelling: refused, or the same block. */
async function fuzz(told: Json, read: (told: Json) => Promise<Block>): Promise<void> {
  const honest = await read(told);
  const members = listHex(told);
  let refusedCount = 0;
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...members), fc.constantFrom(...Object.keys(spellings)), async (path, name) => {
      fc.pre(!isOther(path, name));
      const block = await read(change(told, path, spellings[name]!)).catch((error: unknown) => error as Error);
      // Anything else is a fault of ours.
      if (block instanceof Error) expect([...refusals, 'TypeError', 'SyntaxError', 'RangeError']).toContain(block.name);
      else expect([path.join('.'), name, block]).toEqual([path.join('.'), name, honest]);
      refusedCount += block instanceof Error ? 1 : 0;
    }),
    { numRuns: TRIES, seed: SEED },
  );
  expect(refusedCount).toBeGreaterThan(TRIES / 4);
}

const refusals = ['UnknownContentError', 'IncompleteBlockError', 'ChainClientError', 'BlockNotFoundError'];
const capabilities = (): Session['capabilities'] => ({ hasGetBlock: true, solidified: 'none', hasBlockReceipts: true, hasWalletBeside: false, headerVersion: 38 });

describeFixtures(`${TRIES} spellings of members in hexadecimal digits are refused or read the same:`, () => {
  const moved = withInfo(readSpecBlock(), 2, {
    internal_transactions: [{ caller_address: `41${'1a'.repeat(20)}`, transferTo_address: `41${'0b'.repeat(20)}`, callValueInfo: [{ callValue: 5 }, { callValue: 7, tokenId: '1002000' }], note: '63616c6c' }],
  });
  const { block, infos } = withInfo(moved, 1, { result: 'SUCESS' });
  const ref = { number: block.block_header.raw_data.number!, hash: block.blockID };

  it('the wallet API', async () => {
    await fuzz(JSON.parse(JSON.stringify({ block, infos })) as Json, (told) => {
      const { block: shown, infos: records } = told as { block: Json; infos: Json };
      const wallet = { call: (method: string) => Promise.resolve(method.endsWith('infobyblocknum') ? records : shown) } as unknown as WalletApi;
      return readWalletBlock({ network, wallet, capabilities: capabilities() }, ref);
    });
  });

  it('the Ethereum-compatible interface', async () => {
    const told = toEvmParts(moved) as unknown as Json;
    await fuzz(told, (shown) => {
      const { block: body, receipts } = shown as { block: Json; receipts: Json };
      const evm = { call: (method: string) => Promise.resolve(method === 'eth_getBlockReceipts' ? receipts : body) } as unknown as EvmApi;
      return readEvmBlock({ network, evm, capabilities: capabilities() }, ref);
    });
  });
});
