// SPDX-License-Identifier: Apache-2.0
import { connect, isIP, type Socket } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { InvalidAnswerError } from '../errors.ts';

/** Looks at the bytes of a server before its client does. @returns how many frames ended in them @throws when nobody may read on */
export type CheckFrames = (bytes: Buffer) => number;

/** What a server may say before our first message. Each message allows more, and what is not used is kept up to a limit. */
const FIRST = { bytes: 1_048_576, frames: 1_000 };
const OF_MESSAGE = { bytes: 65_536, frames: 100 };
const MAX = { bytes: 33_554_432, frames: 10_000 };
/** Bytes of the longest answer that a server gets by itself: `channel.close-ok` of AMQP. A `PONG` allows nothing more. */
const REPLY_MAX = 12;

/**
 * The socket of a client that trusts its server. What a listener throws breaks this socket and not the process; so does a
 * server that says more than is asked of it.
 */
export function guardSocket<S extends Socket>(socket: S, check: CheckFrames): S {
  const { push, write, emit } = socket;
  const left = { ...FIRST };
  const fail = (error: unknown): void =>
    void socket.destroy(error instanceof InvalidAnswerError ? error : new InvalidAnswerError(error));
  const take = (bytes: Buffer): void => {
    left.bytes -= bytes.length;
    left.frames -= check(bytes);
    if (left.bytes < 0 || left.frames < 0) throw new InvalidAnswerError('more than was asked for');
  };
  return Object.assign(socket, {
    push(bytes: Buffer | null, ...more: []): boolean {
      try {
        if (bytes !== null) take(bytes);
      } catch (error) {
        fail(error);
        return false;
      }
      return push.call(socket, bytes, ...more);
    },
    write(bytes: string | Buffer, ...more: []): boolean {
      if (bytes.length > REPLY_MAX) {
        left.bytes = Math.min(MAX.bytes, left.bytes + bytes.length + OF_MESSAGE.bytes);
        left.frames = Math.min(MAX.frames, left.frames + OF_MESSAGE.frames);
      }
      return write.call(socket, bytes, ...more);
    },
    emit(...event: Parameters<typeof emit>): boolean {
      try {
        return emit.apply(socket, event);
      } catch (error) {
        fail(error);
        return true;
      }
    },
  });
}

interface Server {
  readonly host: string;
  /** A checked one of the host. */
  readonly address: string;
  readonly port: number;
  readonly isSecure: boolean;
  readonly check: CheckFrames;
  /** Ends the socket. */
  readonly signal: AbortSignal;
}

/** A guarded socket. The certificate must be valid for the name, or for the address where the host is none. */
export function connectGuarded({ host, address, port, isSecure, check, signal }: Server): Socket {
  // A socket that is made with an aborted signal lives.
  signal.throwIfAborted();
  const target = { host: address, port, signal };
  const socket = isSecure
    ? connectSecurely({ ...target, ...(isIP(host) === 0 && { servername: host }) })
    : connect(target);
  return guardSocket(socket, check);
}
