// SPDX-License-Identifier: Apache-2.0
import type { ServerResponse } from 'node:http';
import { flip, LyingServer, type Json, type NodeRequest } from '../lying-server.ts';

export const TRON_LIES = [
  'time-out',
  'rate-limit',
  'truncate-json',
  'lag',
  'other-chain',
  'change-id',
  'omit-transaction',
  'change-result',
  'omit-record',
  'omit-log',
  'empty-records',
  'error-as-answer',
] as const;
type TronLie = (typeof TRON_LIES)[number];

/** Before the local TRON node, both its interfaces. */
export class LyingTronNode extends LyingServer<TronLie> {
  #frozenHead: Json = {};

  protected override async freezeHead(): Promise<void> {
    this.#frozenHead = (await this.ask('/wallet/getblock', '{"detail":false}')) as Json;
  }

  /** As java-tron words it, under 200. */
  protected override sendRateLimit(res: ServerResponse): void {
    res
      .writeHead(200)
      .end('{"Error":"class java.lang.IllegalAccessException : lack of computing resources"}');
  }

  protected override bend(lie: TronLie, { path, body }: NodeRequest, answer: unknown): unknown {
    const isHead = path === '/wallet/getblock' && (body as Json | undefined)?.['id_or_num'] === undefined;
    switch (lie) {
      case 'lag':
        return isHead ? this.#frozenHead : answer;
      case 'other-chain':
        // Its genesis block is another, and so are all that follow.
        if (!isBlock(answer)) return answer;
        return {
          ...answer,
          blockID:
            path === '/wallet/getblockbynum'
              ? `${answer.blockID.slice(0, -8)}2b6653dc`
              : flip(answer.blockID),
        };
      case 'change-id':
        return isBlock(answer) ? { ...answer, blockID: flip(answer['blockID']) } : answer;
      case 'omit-transaction':
        return isBlock(answer) && hasItems(answer['transactions'])
          ? { ...answer, transactions: answer['transactions'].slice(1) }
          : answer;
      case 'change-result':
        return isBlock(answer) && hasItems(answer['transactions'])
          ? {
              ...answer,
              transactions: answer['transactions'].map((tx) => ({ ...tx, ret: [{ contractRet: 'REVERT' }] })),
            }
          : answer;
      case 'omit-record':
        return path.endsWith('infobyblocknum') && hasItems(answer) ? answer.slice(1) : answer;
      case 'empty-records':
        return path.endsWith('infobyblocknum') && hasItems(answer) ? [] : answer;
      case 'omit-log':
        return path.endsWith('infobyblocknum') &&
          hasItems(answer) &&
          answer.some(({ log }) => log !== undefined)
          ? answer.map(({ log: _, ...info }) => info)
          : answer;
      case 'error-as-answer':
        return path.startsWith('/wallet') ? { Error: 'class java.lang.NullPointerException : null' } : answer;
      default:
        return answer;
    }
  }
}

const isBlock = (answer: unknown): answer is Json & { blockID: string } =>
  typeof answer === 'object' && answer !== null && 'blockID' in answer;
const hasItems = (answer: unknown): answer is Json[] => Array.isArray(answer) && answer.length > 0;
