// SPDX-License-Identifier: Apache-2.0
import { ChainClientError } from '@chainwatch/chain-core';
import { isMissingBlock, isUnsupported } from './classify-node-error.ts';

const errorOf = (nodeCode: number, message: string): ChainClientError =>
  new ChainClientError(message, { nodeCode });

describe('the class of a node error', () => {
  it.each([
    [-32601, 'the method trace_block does not exist/is not available'],
    [-32601, 'the method eth_getBlockReceipts does not exist/is not available'],
    [-32601, 'Method not found'],
    [-32000, 'the method debug_traceBlockByHash is not available'],
    [-32004, 'unsupported method'],
  ])('takes %i "%s" for a method that is not there, not for a block', (code, message) => {
    expect(isUnsupported(errorOf(code, message))).toBe(true);
    expect(isMissingBlock(errorOf(code, message))).toBe(false);
  });

  it.each([
    [-32000, 'header not found'],
    [-32001, 'resource not found'],
    [-32000, 'block 0xabc not found'],
    [-32000, 'cannot query unfinalized data'],
    [-32000, 'missing trie node 5d3f (path ) state 0x5d3f is not available'],
  ])('takes %i "%s" for a block that the node does not have', (code, message) => {
    expect(isMissingBlock(errorOf(code, message))).toBe(true);
    expect(isUnsupported(errorOf(code, message))).toBe(false);
  });
});
