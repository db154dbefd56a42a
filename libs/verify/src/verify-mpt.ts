// SPDX-License-Identifier: Apache-2.0
import { RLP } from '@ethereumjs/rlp';
import { keccak_256 } from '@noble/hashes/sha3.js';
import { isSame, toBytes, toHex, toNumber } from './bytes.ts';
import { fail, partsOf, toProved, type Proof, type ProvedTransaction, type ProvedTransfer } from './proof.ts';

const [TRANSACTIONS_ROOT, RECEIPTS_ROOT, NUMBER] = [4, 5, 8];
const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
/** Movements of the coin itself (EIP-7708). */
const COIN_LOGS = `0x${'f'.repeat(39)}e`;

/** EVM: the block's hash covers the header, its roots cover transaction and receipt. @throws InvalidProofError */
export function verifyMpt(proof: Proof): ProvedTransaction {
  const { header, branch, item } = partsOf(proof);
  const bytes = toBytes('header', header);
  if (`0x${toHex(keccak_256(bytes))}` !== proof.block_hash) fail('header: its hash is not block_hash');
  const fields = decodeList('header', bytes);
  if (toNumber(textAt(fields, NUMBER)) !== BigInt(proof.block_number))
    fail('header: its number is not block_number');
  const transaction = toBytes('item.transaction', item.transaction);
  const receipt = toBytes('item.receipt', item.receipt);
  const key = RLP.encode(item.index);
  expectValue('transaction', {
    root: textAt(fields, TRANSACTIONS_ROOT),
    key,
    nodes: branch.transaction,
    value: transaction,
  });
  expectValue('receipt', {
    root: textAt(fields, RECEIPTS_ROOT),
    key,
    nodes: branch.receipt ?? [],
    value: receipt,
  });
  if (`0x${toHex(keccak_256(transaction))}` !== proof.hash) fail('item.transaction: its hash is not hash');
  const { isFailed, isOutcomeKnown, logs } = readReceipt(receipt);
  const moves = isFailed ? [] : logs.flatMap(toTransfer);
  const isLogged = moves.some(({ type }) => type === 'native');
  const own = isFailed || isLogged || !isOutcomeKnown ? [] : readPayment(transaction);
  return toProved(proof, {
    index: item.index,
    isFailed,
    transfers: [...own, ...moves],
  });
}

interface Value {
  readonly root: Uint8Array;
  readonly key: Uint8Array;
  readonly nodes: readonly (string | null)[];
  readonly value: Uint8Array;
}

function expectValue(member: string, { root, key, nodes, value }: Value): void {
  const path = nodes.map((node) => toBytes(`branch.${member}`, node));
  if (path.length === 0 || !isSame(keccak_256(path[0]!), root))
    fail(`branch.${member}: its first node is not the root in the header`);
  const found = findInTrie({ root, key, nodes: path });
  if (found === undefined || !isSame(found, value))
    fail(`branch.${member}: it does not lead to item.${member}`);
}

function textAt(list: readonly Item[], at: number): Uint8Array {
  const item = list[at];
  return item instanceof Uint8Array ? item : fail(`expected bytes at ${at} of a list`);
}

/** Behind the byte of the type (EIP-2718), where there is one. */
function bodyOf(
  member: string,
  bytes: Uint8Array,
): { readonly type: number; readonly fields: readonly Item[] } {
  const type = bytes[0]! < 0x80 ? bytes[0]! : 0;
  return { type, fields: decodeList(member, type === 0 ? bytes : bytes.subarray(1)) };
}

interface Log {
  readonly address: string;
  readonly topics: readonly string[];
  readonly data: Uint8Array;
}

interface Receipt {
  readonly isFailed: boolean;
  /** False before Byzantium: what failed has no logs, and its payment is not told apart from one that was made. */
  readonly isOutcomeKnown: boolean;
  readonly logs: readonly Log[];
}

function readReceipt(bytes: Uint8Array): Receipt {
  const { fields } = bodyOf('item.receipt', bytes);
  const status = textAt(fields, 0);
  const isRoot = status.length === 32;
  if (!isRoot && status.length > 0 && !(status.length === 1 && status[0] === 1))
    fail('item.receipt: expected a status or a root');
  const logs = fields[3];
  if (logs === undefined || logs instanceof Uint8Array) return fail('item.receipt: expected a list of logs');
  return {
    isFailed: status.length === 0,
    isOutcomeKnown: !isRoot,
    logs: logs.map((log) => {
      if (log instanceof Uint8Array || log[1] === undefined || log[1] instanceof Uint8Array)
        return fail('item.receipt: expected a log');
      return {
        address: `0x${toHex(textAt(log, 0))}`,
        topics: log[1].map((topic) => toHex(topic instanceof Uint8Array ? topic : fail('expected a topic'))),
        data: textAt(log, 2),
      };
    }),
  };
}

function toTransfer({ address, topics, data }: Log): ProvedTransfer[] {
  const [topic, from, to] = topics;
  if (topic !== TRANSFER || topics.length !== 3 || data.length !== 32) return [];
  const parties = { from: `0x${from!.slice(24)}`, to: `0x${to!.slice(24)}`, amountRaw: toNumber(data) };
  return [
    address === COIN_LOGS ? { type: 'native', ...parties } : { type: 'token', token: address, ...parties },
  ];
}

/** Where receiver and amount stand, by type of transaction. Of other types the payment is not read. */
const PAYMENT_AT: Readonly<Record<number, readonly [to: number, value: number]>> = {
  0: [3, 4],
  1: [4, 5],
  2: [5, 6],
  3: [5, 6],
  4: [5, 6],
};

function readPayment(bytes: Uint8Array): ProvedTransfer[] {
  const { type, fields } = bodyOf('item.transaction', bytes);
  const at = PAYMENT_AT[type];
  if (at === undefined) return [];
  const [to, value] = [textAt(fields, at[0]), toNumber(textAt(fields, at[1]))];
  return to.length === 0 || value === 0n ? [] : [{ type: 'native', to: `0x${toHex(to)}`, amountRaw: value }];
}

/** RLP: bytes, or a list of such. */
type Item = Uint8Array | readonly Item[];

/** @throws InvalidProofError that names the member */
function decodeList(member: string, bytes: Uint8Array): readonly Item[] {
  const decoded = tryDecode(bytes);
  return decoded === undefined || decoded instanceof Uint8Array
    ? fail(`${member}: expected an RLP list`)
    : decoded;
}

function tryDecode(bytes: Uint8Array): Item | undefined {
  try {
    return RLP.decode(bytes) as Item;
  } catch {
    return undefined;
  }
}

/** Children of a node that branches; its value stands behind them. */
const WIDTH = 16;
/** The first digit of a node's path: 2 ends in a value, 1 leaves out half a byte. */
const [LEAF, ODD] = [2, 1];

/**
 * The value at a key of a Merkle-Patricia trie, along the nodes from its root; undefined where they do not lead to one, or
 * one of them is not on the way. `@ethereumjs/mpt` does the same, but neither on Node 18 nor in a browser as it is.
 */
function findInTrie({
  root,
  key,
  nodes,
}: {
  readonly root: Uint8Array;
  readonly key: Uint8Array;
  readonly nodes: readonly Uint8Array[];
}): Uint8Array | undefined {
  let [next, digits]: [Item, string] = [root, toHex(key)];
  for (let used = 0; ; ) {
    let node: Item | undefined = next;
    if (next instanceof Uint8Array) {
      const bytes = nodes[used++];
      if (bytes === undefined || !isSame(keccak_256(bytes), next)) return undefined;
      node = tryDecode(bytes);
    }
    const step = node === undefined || node instanceof Uint8Array ? undefined : takeStep(node, digits);
    if (step === undefined) return undefined;
    if (step.isValue) return used === nodes.length && step.item instanceof Uint8Array ? step.item : undefined;
    [next, digits] = [step.item, step.digits];
  }
}

interface Step {
  readonly item: Item;
  readonly isValue: boolean;
  /** Of the key, behind this node. */
  readonly digits: string;
}

function takeStep(node: readonly Item[], digits: string): Step | undefined {
  if (node.length === WIDTH + 1)
    return digits === ''
      ? { item: node[WIDTH]!, isValue: true, digits }
      : { item: node[parseInt(digits[0]!, 16)]!, isValue: false, digits: digits.slice(1) };
  const [packed, item] = node;
  if (node.length !== 2 || !(packed instanceof Uint8Array) || packed.length === 0) return undefined;
  const kind = packed[0]! >> 4;
  const path = toHex(packed).slice((kind & ODD) === 0 ? 2 : 1);
  if (!digits.startsWith(path)) return undefined;
  const rest = digits.slice(path.length);
  const isValue = (kind & LEAF) !== 0;
  return isValue && rest !== '' ? undefined : { item: item!, isValue, digits: rest };
}
