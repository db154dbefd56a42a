// SPDX-License-Identifier: Apache-2.0
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

export function isExecutionError(error: string): boolean {
  return EXECUTION_ERROR.test(error);
}
