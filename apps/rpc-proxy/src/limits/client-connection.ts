import type { Socket } from 'node:net';
import { MemoryQuota, type Budget, type KeyAccount } from './memory-quota.ts';

/** One connection of a client, whoever reads it: what is held for it, and whose it is. */
export class ClientConnection implements Budget {
  held = 0;
  readonly max: number;
  readonly socket: Socket;
  /** Who pays: strangers together, until a key is known. */
  quota: MemoryQuota;
  #claimed: KeyAccount | undefined;
  #isClosed = false;
  /** Bytes that the kernel had taken, and when that changed last. */
  #taken = 0;
  #movedAt = 0;

  constructor(socket: Socket, max: number, strangers: KeyAccount) {
    this.socket = socket;
    this.max = max;
    this.quota = new MemoryQuota(this, strangers);
  }

  /** Counts the connection as the key's until it closes, or another key claims it. @returns false where the key has too many */
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

  /** How long there were bytes to write of which the other end took none. */
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
 * Bytes that left this process. Streams only tell of writes that are done, and one write may be an answer of 8 MiB: the
 * handle knows what is left of it (net.Socket's own timeout looks there too).
 */
function bytesTaken(socket: Socket): number {
  const { _handle: handle } = socket as unknown as {
    readonly _handle?: { readonly bytesWritten: number; readonly writeQueueSize: number } | null;
  };
  return handle ? handle.bytesWritten - handle.writeQueueSize : 0;
}
