import { IncomingMessage } from 'node:http';

/** Takes a body as it arrives, and is told its end. */
export interface BodyTaker {
  /** @returns whether to read on */
  take(piece: Buffer): boolean;
  end(): void;
}

/**
 * A request whose body goes to a taker in the parser's own call. As a stream each small body would cost two listeners and
 * three turns of the queue of ticks; without a taker it is a stream as every other request is.
 */
export class BodyIncoming extends IncomingMessage {
  taker: BodyTaker | undefined;
  declare _offersUpgrade: boolean | null;

  /**
   * What the parser says of `Upgrade`, for a WebSocket. An offer of anything else (h2c, by clients that would rather speak
   * HTTP/2) is ignored, and the request answered as it is (RFC 9110, section 7.8).
   */
  get upgrade(): boolean | null {
    const { upgrade } = this.headers;
    return this._offersUpgrade && (upgrade === undefined || upgrade.toLowerCase() === 'websocket');
  }

  set upgrade(offersUpgrade: boolean | null) {
    this._offersUpgrade = offersUpgrade;
  }

  /** Called by the parser; null is the end. @returns whether to read on */
  override push(piece: Buffer | null, encoding?: BufferEncoding): boolean {
    if (this.taker === undefined) return super.push(piece, encoding);
    if (piece !== null) return this.taker.take(piece);
    // The stream counts as read, or the response would wait for somebody who reads it.
    super._read(0);
    this.taker.end();
    return false;
  }

  /** Goes on after the taker returned false. */
  readOn(): void {
    super._read(0);
  }
}
