// SPDX-License-Identifier: Apache-2.0
import {
  FOREVER,
  keptForever,
  keptWhileMoving,
  untilNextBlock,
  type CacheQuestion,
  type CacheRule,
  type Lifetime,
  type Pace,
} from '@chainwatch/chain-core';

type LifetimeOf = CacheRule['lifetimeOf'];

/** `moving`: follows the head; `hash`: its height is not known here; `never`: what it means is not known. */
type BlockParameter = number | 'moving' | 'hash' | 'never';

const BLOCK_NUMBER = /"blockNumber"\s*:\s*"0x([0-9a-fA-F]{1,13})"/;
const NUMBER = /"number"\s*:\s*"0x([0-9a-fA-F]{1,13})"/;
/** Of traces, which write it in decimal. */
const TRACED_NUMBER = /"blockNumber"\s*:\s*(\d{1,13})\b/;
const MOVING_TAG = /"(latest|pending|safe)"/;

/** Methods whose block is a parameter, by its place. */
const BLOCK_AT: Readonly<Record<string, number>> = {
  eth_getBlockByNumber: 0,
  eth_getBlockTransactionCountByNumber: 0,
  eth_getUncleCountByBlockNumber: 0,
  eth_getUncleByBlockNumberAndIndex: 0,
  eth_getTransactionByBlockNumberAndIndex: 0,
  debug_traceBlockByNumber: 0,
  debug_getRawBlock: 0,
  debug_getRawHeader: 0,
  debug_getRawReceipts: 0,
  trace_block: 0,
  eth_call: 1,
  eth_getBalance: 1,
  eth_getCode: 1,
  eth_getTransactionCount: 1,
  eth_getStorageAt: 2,
  eth_getProof: 2,
};

/** Methods whose answer tells its block. */
const BLOCK_IN_ANSWER: Readonly<Record<string, RegExp>> = {
  eth_getBlockByHash: NUMBER,
  eth_getTransactionByHash: BLOCK_NUMBER,
  eth_getTransactionByBlockHashAndIndex: BLOCK_NUMBER,
  eth_getTransactionReceipt: BLOCK_NUMBER,
  trace_transaction: TRACED_NUMBER,
};

const MOVING = [
  'eth_blockNumber',
  'eth_gasPrice',
  'eth_maxPriorityFeePerGas',
  'eth_blobBaseFee',
  'eth_baseFee',
  'eth_feeHistory',
];

/** What is of a final block is kept for good, what is of another one until the next block. */
export function createEthereumCacheRules(pace: Pace): ReadonlyMap<string, CacheRule> {
  const moving = keptWhileMoving(pace);
  const ofBlock = createLifetimes(pace, moving.lifetimeOf);
  const atParam =
    (index: number): LifetimeOf =>
    (question) =>
      ofBlock(question, readBlockParameter(question.params[index]));
  const byAnswer =
    (expression: RegExp): LifetimeOf =>
    (question) => {
      const number = findNumber(expression, question.result);
      return number === undefined ? undefined : ofBlock(question, number);
    };
  const blockOf: LifetimeOf = (question) =>
    readBlockParameter(question.params[0]) === 'hash'
      ? byAnswer(BLOCK_NUMBER)(question)
      : atParam(0)(question);
  const logs: LifetimeOf = (question) => {
    const filter = question.params[0];
    if (typeof filter !== 'object' || filter === null) return undefined;
    const { fromBlock, toBlock, blockHash } = filter as Record<string, unknown>;
    if (blockHash !== undefined) return byAnswer(BLOCK_NUMBER)(question);
    const [from, to] = [readBlockParameter(fromBlock), readBlockParameter(toBlock)];
    if (from === 'never' || to === 'never') return undefined;
    return typeof from === 'number' ? ofBlock(question, to) : moving.lifetimeOf(question);
  };
  return new Map([
    ['eth_chainId', keptForever],
    ['net_version', keptForever],
    ['eth_getBlockReceipts', unlessPartial(blockOf)],
    ['eth_getLogs', unlessPartial(logs)],
    ...Object.entries(BLOCK_AT).map(([method, index]) => [method, ruleFor(method, atParam(index))] as const),
    ...Object.entries(BLOCK_IN_ANSWER).map(
      ([method, told]) => [method, ruleFor(method, byAnswer(told))] as const,
    ),
    ...MOVING.map((method) => [method, moving] as const),
  ]);
}

function createLifetimes(
  pace: Pace,
  moving: LifetimeOf,
): (question: CacheQuestion, block: BlockParameter) => Lifetime | undefined {
  return (question, block) => {
    if (block === 'never') return undefined;
    if (block === 'moving') return moving(question);
    // The height behind a hash is not known here.
    if (block === 'hash') return untilNextBlock(pace);
    return block <= question.finalNumber ? FOREVER : untilNextBlock(pace);
  };
}

/** Traces tell how calls ended, and nodes put their own failures into the same member. */
function ruleFor(method: string, lifetimeOf: LifetimeOf): CacheRule {
  const rule = unlessPartial(method.startsWith('debug_') ? withResults(lifetimeOf) : lifetimeOf);
  return /^(debug|trace)_/.test(method) ? { ...rule, isFact: isExecutionError } : rule;
}

/** In lists of `debug_` null is no result; in those of `trace_` it is the result of a call that failed. */
function withResults(lifetimeOf: LifetimeOf): LifetimeOf {
  return (question) =>
    /"result"\s*:\s*null\b/.test(question.result.toString('latin1')) ? undefined : lifetimeOf(question);
}

function unlessPartial(lifetimeOf: LifetimeOf): CacheRule {
  return {
    lifetimeOf: (question) => (isPartial(question.result) ? undefined : lifetimeOf(question)),
    mayLast: (params) => !MOVING_TAG.test(params),
  };
}

function findNumber(expression: RegExp, result: Buffer): number | undefined {
  const found = expression.exec(result.toString('latin1', 0, result.length));
  return found === null ? undefined : Number.parseInt(found[1]!, expression === TRACED_NUMBER ? 10 : 16);
}

/** A block parameter: a number, a tag, or an object of EIP-1898. An absent one means latest. */
function readBlockParameter(value: unknown): BlockParameter {
  if (
    value === undefined ||
    value === null ||
    value === 'latest' ||
    value === 'safe' ||
    value === 'finalized'
  )
    return 'moving';
  if (value === 'earliest') return 0;
  if (typeof value === 'object')
    return readBlockObject(value as { blockHash?: unknown; blockNumber?: unknown });
  if (typeof value !== 'string' || !/^0x[0-9a-fA-F]+$/.test(value)) return 'never';
  if (value.length === 66) return 'hash';
  return value.length <= 15 ? Number(value) : 'never';
}

function readBlockObject({
  blockHash,
  blockNumber,
}: {
  blockHash?: unknown;
  blockNumber?: unknown;
}): BlockParameter {
  if (typeof blockHash === 'string') return 'hash';
  return blockNumber === undefined ? 'never' : readBlockParameter(blockNumber);
}

const NULL = Buffer.from('null');
/** Members that a block, a receipt or a trace always has. Others may be null: `to`, `contractAddress`, a call's `result`. */
const NEEDED = /"(?:transactions|logs|receipts|structLogs|trace|txHash)"\s*:\s*$/;
const NAME_BYTES_MAX = 64;

/**
 * Whether a part of a result is missing: null in a list, such as the receipt of a transaction that the node has not
 * stored yet, or null in the place of a whole list.
 */
function isPartial(result: Buffer): boolean {
  for (let at = result.indexOf(NULL); at !== -1; at = result.indexOf(NULL, at + 4)) {
    let before = at - 1;
    while (before >= 0 && isSpace(result[before]!)) before -= 1;
    // A member's name ends in a colon. What follows a bracket or a comma is an item of a list.
    if (result[before] === 0x5b || result[before] === 0x2c) return true;
    if (
      result[before] === 0x3a &&
      NEEDED.test(result.toString('latin1', Math.max(0, at - NAME_BYTES_MAX), at))
    )
      return true;
  }
  return false;
}

function isSpace(byte: number): boolean {
  return byte === 0x20 || byte === 0x0a || byte === 0x0d || byte === 0x09;
}

// cspell:ignore imum
/**
 * How a call ends that the virtual machine gives up, in the words of geth (core/vm/errors.go), Erigon, Reth, Besu,
 * Nethermind and OpenEthereum. It is the same at every execution of the block. Words that are not here may be a failure
 * of the node, such as `execution timeout` or `execution aborted`.
 */
const EXECUTION_ERROR = new RegExp(
  `^(?:${[
    'execution reverted',
    'reverted?',
    '(?:contract creation code storage )?out ?of ?gas',
    'max(?:imum)? call depth (?:exceeded|reached)',
    'call depth exceeded',
    'insufficient balance for (?:transfer|call)',
    'contract address collision',
    'max (?:init)?code size exceeded',
    'invalid jump(?: destination)?',
    'bad jump destination',
    'write protection',
    'return data out of bounds',
    'gas uint64 overflow',
    'nonce uint64 overflow',
    'invalid code: must not begin with 0xef',
    'stack (?:underflow|overflow|limit reached)',
    'out of stack',
    'invalid opcode',
    'bad instruction',
    'built-?in failed',
    'mutable call in static context',
    'out of bounds',
    'invalid input length',
  ].join('|')})(?:$|[ :(])`,
  'i',
);

function isExecutionError(error: string): boolean {
  return EXECUTION_ERROR.test(error);
}
