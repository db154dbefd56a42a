// SPDX-License-Identifier: Apache-2.0
// cspell:ignore HMSG
import { InvalidAnswerError } from '../errors.ts';
import type { CheckFrames } from './guard-socket.ts';

/**
 * The length of the frame that begins here; undefined: its head has not come yet.
 * @throws InvalidAnswerError for one that a client would take memory or time for
 */
export type LengthOf = (head: Buffer) => number | undefined;

const HEAD_MAX = 65_536;
/** Of a message of ours that comes back, or an answer about very many partitions. */
const FRAME_MAX = 1_048_576;

/** Follows a server's frames. Of each, only the head is kept. */
export function followFrames(lengthOf: LengthOf): CheckFrames {
  let head: Buffer = Buffer.alloc(0);
  let skip = 0;
  return (bytes) => {
    let frames = 0;
    const rest = bytes.subarray(skip);
    skip = Math.max(0, skip - bytes.length);
    head = head.length === 0 ? rest : Buffer.concat([head, rest]);
    while (head.length > 0) {
      const length = lengthOf(head);
      if (length === undefined && head.length <= HEAD_MAX) break;
      if (length === undefined) throw new InvalidAnswerError(`a head of more than ${HEAD_MAX} bytes`);
      skip = Math.max(0, length - head.length);
      head = head.subarray(length);
      frames += 1;
    }
    return frames;
  };
}

/** RESP2: a line or one text. Nothing that is asked for here has an array as its answer. */
export const redisReply: LengthOf = (head) => {
  if (!'+-:$'.includes(String.fromCharCode(head[0]!)))
    throw new InvalidAnswerError(`a reply of the type ${head[0]}`);
  const end = head.indexOf('\r\n');
  if (end === -1) return undefined;
  if (head[0] !== 0x24 || head.toString('latin1', 0, end) === '$-1') return end + 2;
  const length = Number(head.toString('latin1', 1, end));
  if (!Number.isInteger(length) || length < 0 || length > HEAD_MAX)
    throw new InvalidAnswerError(`a text of ${length} bytes`);
  return end + 2 + length + 2;
};

/** https://kafka.apache.org/protocol: each answer has its length before it. */
export const kafkaAnswer: LengthOf = (head) => {
  if (head.length < 4) return undefined;
  const length = head.readInt32BE(0);
  if (length < 0 || length > FRAME_MAX) throw new InvalidAnswerError(`an answer of ${length} bytes`);
  return 4 + length;
};

export const AMQP_FRAME_MAX = 131_072;
const AMQP_HEADER = 2;
/** More than any message of ours, which may come back. */
const AMQP_CONTENT_MAX = 16 * FRAME_MAX;

/** AMQP 0-9-1 §2.3.5: type, channel, size, payload, end. A header says how long the content in the next frames is (§2.3.5.2). */
export const amqpFrame: LengthOf = (head) => {
  if (head.length < 7) return undefined;
  const size = head.readUInt32BE(3);
  if (size > AMQP_FRAME_MAX) throw new InvalidAnswerError(`a frame of ${size} bytes`);
  if (head[0] !== AMQP_HEADER || size < 12) return 7 + size + 1;
  if (head.length < 19) return undefined;
  const content = head.readBigUInt64BE(11);
  if (content > AMQP_CONTENT_MAX) throw new InvalidAnswerError(`a content of ${content} bytes`);
  return 7 + size + 1;
};

/** https://docs.nats.io/reference/reference-protocols/nats-protocol: a line, and a payload where it says so. */
export const natsOperation: LengthOf = (head) => {
  const end = head.indexOf('\n');
  if (end === -1) return undefined;
  const words = head.toString('latin1', 0, end).trim().split(/\s+/);
  const word = words[0]!.toUpperCase();
  if (['INFO', 'PING', 'PONG', '+OK', '-ERR'].includes(word)) return end + 1;
  const size = word === 'MSG' || word === 'HMSG' ? Number(words.at(-1)) : Number.NaN;
  if (!Number.isInteger(size) || size < 0 || size > FRAME_MAX)
    throw new InvalidAnswerError(`an operation that is none, or of ${size} bytes`);
  return end + 1 + size + 2;
};
