import { NotACallError, scanCall, type ScannedCall } from './scan-call.ts';
import { skipSpace } from './skip-value.ts';

const BATCH_ITEMS_MAX = 1_000;

export interface ScannedBody {
  readonly isBatch: boolean;
  readonly calls: readonly ScannedCall[];
}

/**
 * The call of a request body, or the calls of a batch; `[]` is a batch without calls.
 * @throws NotACallError
 */
export function scanBody(bytes: Buffer): ScannedBody {
  const start = skipSpace(bytes, 0);
  if (bytes[start] === 0x5b) return { isBatch: true, calls: scanBatch(bytes, start) };
  const call = scanCall(bytes, start);
  expectEnd(bytes, call.end);
  return { isBatch: false, calls: [call] };
}

function scanBatch(bytes: Buffer, start: number): ScannedCall[] {
  const calls: ScannedCall[] = [];
  let at = skipSpace(bytes, start + 1);
  if (bytes[at] === 0x5d) {
    expectEnd(bytes, at + 1);
    return calls;
  }
  for (;;) {
    if (calls.length === BATCH_ITEMS_MAX)
      throw new NotACallError(`expected at most ${BATCH_ITEMS_MAX} calls in a batch`);
    const call = scanCall(bytes, at);
    calls.push(call);
    at = skipSpace(bytes, call.end);
    if (bytes[at] === 0x5d) break;
    if (bytes[at] !== 0x2c) throw new NotACallError('expected JSON');
    at = skipSpace(bytes, at + 1);
  }
  expectEnd(bytes, at + 1);
  return calls;
}

function expectEnd(bytes: Buffer, at: number): void {
  if (skipSpace(bytes, at) < bytes.length) throw new NotACallError('expected nothing behind the JSON');
}
