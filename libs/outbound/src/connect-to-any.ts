// SPDX-License-Identifier: Apache-2.0
import { connect, isIP, type Socket } from 'node:net';
import type { Dial } from '@chainwatch/chain-core';
import { ConnectTimeoutError, UnresolvableHostError } from './errors.ts';
import { resolveAll, type Address } from './resolve-allowed.ts';

export interface ConnectTarget {
  /** Name or literal address, without brackets. */
  readonly host: string;
  readonly port: number;
  /** Undefined: any address may be dialled. */
  readonly dial: Dial | undefined;
  /** For the look-up and all addresses together. */
  readonly timeoutMs: number;
}

/** Time before the next address is tried beside those that have not answered yet (RFC 8305 §5). */
const STAGGER_MS = 250;
/** A name may have thousands of addresses, all of them somebody else's. */
const ADDRESSES_MAX = 20;

/**
 * Connects to the first address of a host that answers. Addresses are tried one after the other, families in turn, and
 * none waits for the one before to fail. The dial has checked every address.
 * @throws BlockedAddressError, UnresolvableHostError, ConnectTimeoutError, or the errors of all addresses
 */
export async function connectToAny(target: ConnectTarget): Promise<Socket> {
  const untilMs = performance.now() + target.timeoutMs;
  return race(target, await findAddresses(target), untilMs);
}

/**
 * The address of a host that answers first, for a client that opens its own socket to it. One that has no other is not
 * tried.
 * @throws as `connectToAny`
 */
export async function findReachable(target: ConnectTarget): Promise<string> {
  const untilMs = performance.now() + target.timeoutMs;
  const addresses = await findAddresses(target);
  if (addresses.length === 1) return addresses[0]!.address;
  const socket = await race(target, addresses, untilMs);
  const address = socket.remoteAddress;
  socket.destroy();
  if (address === undefined) throw new UnresolvableHostError(target.host);
  return address;
}

async function findAddresses({ host, port, dial, timeoutMs }: ConnectTarget): Promise<readonly Address[]> {
  // A literal address is never looked up.
  dial?.check(`http://${isIP(host) === 6 ? `[${host}]` : host}:${port}`);
  const addresses = await resolveAll(host, dial, timeoutMs);
  await dial?.checkAddresses?.(
    host,
    port,
    addresses.map(({ address }) => address),
  );
  return addresses;
}

function race(target: ConnectTarget, addresses: readonly Address[], untilMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const attempts = new AddressRace(target, { resolve, reject }, untilMs - performance.now());
    attempts.start(takeTurns(addresses).slice(0, ADDRESSES_MAX));
  });
}

/** One address of each family in turn, in the resolver's order: a family that has no route holds up nothing. */
function takeTurns(addresses: readonly Address[]): readonly Address[] {
  const first = addresses.filter(({ family }) => family === addresses[0]?.family);
  const others = addresses.filter(({ family }) => family !== addresses[0]?.family);
  return first
    .flatMap((address, index) => [address, ...others.slice(index, index + 1)])
    .concat(others.slice(first.length));
}

interface Settle {
  readonly resolve: (socket: Socket) => void;
  readonly reject: (error: Error) => void;
}

/** The sockets that are being connected; the first one that is connected ends it. */
class AddressRace {
  readonly #target: ConnectTarget;
  readonly #settle: Settle;
  readonly #leftMs: number;
  readonly #timer: NodeJS.Timeout;
  readonly #sockets = new Set<Socket>();
  readonly #errors: Error[] = [];
  #left: readonly Address[] = [];
  #stagger: NodeJS.Timeout | undefined;
  #staggerMs = STAGGER_MS;
  #isOver = false;

  constructor(target: ConnectTarget, settle: Settle, leftMs: number) {
    this.#target = target;
    this.#settle = settle;
    this.#leftMs = Math.max(1, leftMs);
    this.#timer = setTimeout(
      () => this.end(new ConnectTimeoutError(target.host, target.port, target.timeoutMs)),
      this.#leftMs,
    );
  }

  start(addresses: readonly Address[]): void {
    this.#left = addresses;
    // The last one still has half of the time.
    this.#staggerMs = Math.min(STAGGER_MS, this.#leftMs / 2 / addresses.length);
    this.#tryNext();
  }

  end(outcome: Socket | Error): void {
    if (this.#isOver) return;
    this.#isOver = true;
    clearTimeout(this.#timer);
    clearTimeout(this.#stagger);
    for (const socket of this.#sockets) if (socket !== outcome) socket.destroy();
    if (outcome instanceof Error) this.#settle.reject(outcome);
    else this.#settle.resolve(outcome);
  }

  #tryNext(): void {
    clearTimeout(this.#stagger);
    const [next, ...left] = this.#left;
    if (next === undefined) return;
    this.#left = left;
    const socket = connect({ host: next.address, port: this.#target.port });
    this.#sockets.add(socket);
    socket
      .once('connect', () => {
        socket.removeAllListeners('error');
        this.end(socket);
      })
      .on('error', (error) => this.#fail(socket, error));
    if (left.length > 0) this.#stagger = setTimeout(() => this.#tryNext(), this.#staggerMs);
  }

  #fail(socket: Socket, error: Error): void {
    this.#sockets.delete(socket);
    this.#errors.push(error);
    if (this.#isOver) return;
    if (this.#left.length > 0) this.#tryNext();
    else if (this.#sockets.size === 0) this.end(joinErrors(this.#errors));
  }
}

/** As Node does: the code of the first one. */
function joinErrors(errors: readonly Error[]): Error {
  const [first, ...others] = errors;
  return others.length === 0
    ? first!
    : Object.assign(new AggregateError(errors), { code: (first as NodeJS.ErrnoException).code });
}
