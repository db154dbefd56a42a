import type { Socket } from 'node:net';
import { MemoryQuota, type Budget, type KeyAccount } from './memory-quota.ts';

/** One client connection, whichever server reads it: the memory that is held for it, and the key it belongs to. */
export class ClientConnection implements Budget {
  held = 0;
  readonly max: number;
  readonly socket: Socket;
  /** Pays for what is held: the account of strangers until a key is known. */
  quota: MemoryQuota;
  #claimed: KeyAccount | undefined;
  #isClosed = false;
  /** Bytes that the kernel has accepted, and when that number last changed. */
  #taken = 0;
  #movedAt = 0;

  constructor(socket: Socket, max: number, strangers: KeyAccount) {
    this.socket = socket;
    this.max = max;
    this.quota = new MemoryQuota(this, strangers);
  }

  /**
   * Counts the connection as this key's until it closes or another key claims it.
   * @returns false if the key has too many
   */
  claim(key: KeyAccount): boolean {
    if (this.#claimed === key || this.#isClosed) return true;
    if (key.sockets >= key.socketsMax) return false;
    if (this.#claimed !== undefined) this.#claimed.sockets -= 1;
    this.#claimed = key;
    key.sockets += 1;
    return true;
  }

  tellClosed(): void {
    this.#isClosed = true;
    if (this.#claimed !== undefined) this.#claimed.sockets -= 1;
    this.#claimed = undefined;
  }

  /** For how long there have been bytes to write of which the client accepted none. */
  stuckMs(now: number): number {
    const taken = bytesTaken(this.socket);
    if (taken !== this.#taken || this.socket.writableLength === 0) {
      this.#taken = taken;
      this.#movedAt = now;
    }
    return now - this.#movedAt;
  }
}

/**
 * Bytes that left this process. A stream reports only completed writes, and one write may be an answer of 8 MiB; the
 * handle knows how much of it is left (net.Socket's own timeout looks there too).
 */
function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as unknown as {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
