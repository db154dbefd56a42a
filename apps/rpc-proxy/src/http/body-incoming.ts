// SPDX-License-Identifier: Apache-2.0
import { IncomingMessage } from 'node:http';

/** Receives a body as it arrives, and its end. */
export interface BodyTaker {
  /** @returns whether to continue reading */
  take(piece: Buffer): boolean;
  end(): void;
}

/**
 * A request whose body goes to a taker directly in the parser's call. As a stream, each small body would cost two
 * listeners and three rounds of the tick queue. Without a taker it is an ordinary stream.
 */
export class BodyIncoming extends IncomingMessage {
  taker: BodyTaker | undefined;
  declare _offersUpgrade: boolean | null;

  /**
   * Whether the request upgrades, as the parser says, but only to a WebSocket. Any other offer is ignored (h2c, from
   * clients that prefer HTTP/2), and the request is answered normally (RFC 9110, section 7.8).
   */
  get upgrade(): boolean | null {
    const { upgrade } = this.headers;
    return this._offersUpgrade && (upgrade === undefined || upgrade.toLowerCase() === 'websocket');
  }

  set upgrade(offersUpgrade: boolean | null) {
    this._offersUpgrade = offersUpgrade;
  }

  /**
   * Called by the parser; null is the end.
   * @returns whether to continue reading
   */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.taker === undefined) return super.push(piece, encoding);
    if (piece !== null) return this.taker.take(piece);
    // Marks the stream as read; otherwise the response would wait for a reader.
    super._read(0);
    this.taker.end();
    return false;
  }

  /** Continues after the taker returned false. */
  readOn(): void {
    super._read(0);
  }
}
