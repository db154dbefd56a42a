// SPDX-License-Identifier: Apache-2.0
import { connect, type Socket } from 'node:net';

/** A connection to the RPC gateway under the test's hand: what it sends is bytes, and it reads or does not. */
export class RawClient {
  readonly socket: Socket;
  said = '';
  isClosed = false;

  constructor(port: number, isReading = true) {
    this.socket = connect({ port, host: '127.0.0.1' });
    this.socket.on('error', () => undefined).on('close', () => (this.isClosed = true));
    if (isReading) this.socket.on('data', (bytes: Buffer) => (this.said += bytes.toString('latin1')));
    else this.socket.pause();
  }

  /** Of the answers so far. */
  get statuses(): number[] {
    return [...this.said.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }

  send(text: string | Buffer): this {
    this.socket.write(text);
    return this;
  }
}

/** The head of a request to Ethereum with a body of `length` bytes. */
export function headOf(length: number, key: string | undefined, more = ''): string {
  return `POST /ethereum HTTP/1.1\r\nHost: x\r\n${key === undefined ? '' : `X-Api-Key: ${key}\r\n`}${more}Content-Type: application/json\r\nContent-Length: ${length}\r\n\r\n`;
}

/** A whole request to Ethereum. */
export const requestOf = (body: string, key: string): string => headOf(body.length, key) + body;
