import { encodeTransaction } from './encode-transaction.ts';
import type { RawBlock } from './raw-block.ts';
import { RlpWriter } from './rlp-writer.ts';
import type { Session } from './session.ts';
import type { RawEncodings } from './verify-block.ts';

const scratch = new RlpWriter();

/**
 * The node's own encoding of transactions whose type is not known here (a later fork, Polygon's state sync), so that the
 * root can be proved all the same. What a node does not give is left out.
 */
export async function readRawEncodings(session: Session, block: RawBlock, signal?: AbortSignal): Promise<RawEncodings> {
  const unknown = block.transactions.filter((tx) => typeof tx.type === 'string' && !isKnown(tx.type));
  if (unknown.length === 0) return new Map();
  const calls = unknown.map(({ hash }) => ({ method: 'eth_getRawTransactionByHash', params: [hash] }));
  const answers = await session.transport.callMany(calls, signal);
  const encodings = new Map<string, Uint8Array>();
  answers.forEach((answer, index) => {
    const hash = unknown[index]?.hash;
    if (answer.type !== 'result' || typeof answer.result !== 'string' || hash === undefined) return;
    encodings.set(hash, Buffer.from(answer.result.slice(2), 'hex'));
  });
  return encodings;
}

const known = new Map<string, boolean>();

function isKnown(type: string): boolean {
  const answer = known.get(type);
  if (answer !== undefined) return answer;
  scratch.reset();
  const isEncodable = encodeTransaction(scratch, { hash: '0x', type, from: '0x', gas: '0x0', value: '0x0', input: '0x' });
  if (known.size < 256) known.set(type, isEncodable);
  return isEncodable;
}
