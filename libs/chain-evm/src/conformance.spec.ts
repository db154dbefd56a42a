// SPDX-License-Identifier: Apache-2.0
import { existsSync, readFileSync, readdirSync } from 'node:fs';
import { RLP } from '@ethereumjs/rlp';
import type { NestedUint8Array } from '@ethereumjs/rlp';
import { computeOrderedRoot } from './compute-ordered-root.ts';
import { encodeHeader, parseHeader } from './parse-header.ts';
import { encodeTransaction } from './encode-transaction.ts';
import { keccak256Hex } from './encode-rlp.ts';
import { evmNetworks, readTraits } from './networks.ts';
import type { RawHeader, RawTransaction } from './raw-block.ts';

// The official JSON-RPC conformance suite beside the repository: ../shared/fixtures/conformance.
const folder = new URL('../../../../shared/fixtures/conformance/execution-apis/tests/', import.meta.url);
const isThere = existsSync(folder);
if (!isThere) console.log('skipped: JSON-RPC conformance suite (../shared/fixtures/conformance is absent)');

const traits = readTraits(
  evmNetworks.find(({ name }) => name === 'ethereum') as (typeof evmNetworks)[number],
);

/** Fields of each type, in the order of their encoding. */
const layouts: Readonly<Record<number, string>> = {
  0: 'nonce gasPrice gas to value input v r s',
  1: 'chainId nonce gasPrice gas to value input accessList yParity r s',
  2: 'chainId nonce maxPriorityFeePerGas maxFeePerGas gas to value input accessList yParity r s',
  3: 'chainId nonce maxPriorityFeePerGas maxFeePerGas gas to value input accessList maxFeePerBlobGas blobVersionedHashes yParity r s',
  4: 'chainId nonce maxPriorityFeePerGas maxFeePerGas gas to value input accessList authorizationList yParity r s',
};
const headerLayout =
  'parentHash sha3Uncles miner stateRoot transactionsRoot receiptsRoot logsBloom difficulty number gasLimit gasUsed timestamp extraData ' +
  'mixHash nonce baseFeePerGas withdrawalsRoot blobGasUsed excessBlobGas parentBeaconBlockRoot requestsHash';

function hex(item: Uint8Array | NestedUint8Array | undefined): string {
  if (!(item instanceof Uint8Array)) throw new Error('expected bytes');
  return `0x${Buffer.from(item).toString('hex')}`;
}

function list(item: Uint8Array | NestedUint8Array | undefined): NestedUint8Array {
  if (!Array.isArray(item)) throw new Error('expected a list');
  return item;
}

/** A transaction of a block body as a node would give it in JSON. */
function toJson(item: Uint8Array | NestedUint8Array): RawTransaction {
  const type = item instanceof Uint8Array ? (item[0] ?? 0) : 0;
  const fields = list(item instanceof Uint8Array ? (RLP.decode(item.subarray(1)) as NestedUint8Array) : item);
  const json: Record<string, unknown> = { type: `0x${type.toString(16)}`, hash: '0x', from: '0x' };
  for (const [at, name] of (layouts[type] ?? '').split(' ').entries()) json[name] = toField(name, fields[at]);
  return json as unknown as RawTransaction;
}

function toField(name: string, item: Uint8Array | NestedUint8Array | undefined): unknown {
  if (name === 'accessList') {
    return list(item).map((entry) => ({
      address: hex(list(entry)[0]),
      storageKeys: list(list(entry)[1]).map(hex),
    }));
  }
  if (name === 'blobVersionedHashes') return list(item).map(hex);
  if (name === 'authorizationList') {
    return list(item).map((entry) => {
      const [chainId, address, nonce, yParity, r, s] = list(entry).map(hex);
      return { chainId, address, nonce, yParity, r, s };
    });
  }
  return hex(item);
}

function readChain(): {
  readonly header: RawHeader;
  readonly encodedHeader: Uint8Array;
  readonly body: NestedUint8Array;
}[] {
  const blocks = [];
  let rest: Uint8Array = readFileSync(new URL('chain.rlp', folder));
  while (rest.length > 0) {
    const { data, remainder } = RLP.decode(rest, true);
    const [headerFields, body] = list(data as NestedUint8Array);
    const names = headerLayout.split(' ').slice(0, list(headerFields).length);
    const header = Object.fromEntries(
      names.map((name, at) => [name, hex(list(headerFields)[at])]),
    ) as unknown as RawHeader;
    blocks.push({ header, encodedHeader: RLP.encode(list(headerFields)), body: list(body) });
    rest = remainder;
  }
  return blocks;
}

(isThere ? describe : describe.skip)('the conformance chain', () => {
  it('has every transaction root come out, with types 0 to 4 among its transactions', async () => {
    const types = new Set<string>();
    const blocks = readChain();
    for (const { header, body } of blocks) {
      const transactions = body.map(toJson);
      for (const { type } of transactions) types.add(String(type));
      const encodings = transactions.map((tx, at) => {
        const encoding = encodeTransaction(tx, 'ethereum');
        const original = body[at];
        const wanted = original instanceof Uint8Array ? original : RLP.encode(original);
        if (encoding === undefined || keccak256Hex(encoding) !== keccak256Hex(wanted))
          throw new Error(`transaction ${at} of block ${header.number} differs`);
        return encoding;
      });
      expect(computeOrderedRoot(encodings)).toBe(header.transactionsRoot);
    }
    expect(blocks.length).toBeGreaterThan(50);
    expect([...types].toSorted()).toEqual(['0x0', '0x1', '0x2', '0x3', '0x4']);
  });

  it('has every header encoded as it was, from Frontier to Prague', () => {
    for (const { header, encodedHeader } of readChain()) {
      expect(Buffer.from(encodeHeader(header)).toString('hex')).toBe(
        Buffer.from(encodedHeader).toString('hex'),
      );
    }
  });

  it('gives headers whose hash is proved in every recorded answer', () => {
    let count = 0;
    for (const method of ['eth_getBlockByNumber', 'eth_getBlockByHash']) {
      for (const file of readdirSync(new URL(`${method}/`, folder))) {
        const line =
          readFileSync(new URL(`${method}/${file}`, folder), 'utf8')
            .split('\n')
            .find((text) => text.startsWith('<< ')) ?? '';
        const { result } = JSON.parse(line.slice(3)) as { result?: RawHeader | null };
        if (result === undefined || result === null) continue;
        expect(parseHeader(result, traits).hash).toBe(result.hash);
        count++;
      }
    }
    expect(count).toBeGreaterThan(8);
  });
});
