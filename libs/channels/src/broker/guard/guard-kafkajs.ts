// SPDX-License-Identifier: Apache-2.0
import type { Mechanism } from 'kafkajs';
// @ts-expect-error It has no types.
import broker from 'kafkajs/src/broker/index.js';
// @ts-expect-error It has no types.
import scram256 from 'kafkajs/src/broker/saslAuthenticator/scram256.js';
// @ts-expect-error It has no types.
import scram512 from 'kafkajs/src/broker/saslAuthenticator/scram512.js';
// @ts-expect-error It has no types.
import decoder from 'kafkajs/src/protocol/decoder.js';
import { InvalidAnswerError } from '../errors.ts';

// kafkajs 2.2.4 takes a cluster's word for everything. What is bounded here is asked of no option.

/** It makes 4 KB of objects for each. */
const SERVERS_MAX = 1_000;
/** Rounds of PBKDF2 in less than a second of one of Node's few pool threads. Kafka's own number is 4,096. */
const ITERATIONS_MAX = 500_000;

interface Decoder {
  readonly buffer: Buffer;
  readonly offset: number;
  readArray(...read: unknown[]): unknown[];
}
interface Broker {
  metadata(topics: unknown): Promise<{ readonly brokers: readonly unknown[] }>;
}

const { prototype: decoding } = decoder as { prototype: Decoder };
const { readArray } = decoding;
/** As long as a server says: a quarter of a gigabyte for four bytes. Here, no longer than the bytes that are left. */
decoding.readArray = function (...read) {
  const length = this.buffer.readInt32BE(this.offset);
  if (length > this.buffer.length - this.offset)
    throw new InvalidAnswerError(`an array of ${length} members`);
  return readArray.apply(this, read);
};

const { prototype: asking } = broker as { prototype: Broker };
const { metadata } = asking;
asking.metadata = async function (topics) {
  const told = await metadata.call(this, topics);
  if (told.brokers.length > SERVERS_MAX)
    throw new InvalidAnswerError(`a cluster of ${told.brokers.length} servers`);
  return told;
};

/** SCRAM of the library, which hashes a password as often as a server says. */
export function boundScram(
  mechanism: 'scram-sha-256' | 'scram-sha-512',
  user: { readonly username: string; readonly password: string },
): Mechanism {
  const provide = (mechanism === 'scram-sha-256' ? scram256 : scram512) as (
    of: typeof user,
  ) => Mechanism['authenticationProvider'];
  return {
    mechanism,
    authenticationProvider: (args) =>
      provide(user)({
        ...args,
        async saslAuthenticate(exchange) {
          const answer = await args.saslAuthenticate(exchange);
          const { i: iterations = '0' } = (answer ?? {}) as { readonly i?: string };
          if (parseInt(iterations, 10) > ITERATIONS_MAX)
            throw new InvalidAnswerError(`${iterations} rounds of a hash`);
          return answer;
        },
      }),
  };
}
