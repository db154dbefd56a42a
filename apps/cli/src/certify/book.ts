// SPDX-License-Identifier: Apache-2.0
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { setTimeout as wait } from 'node:timers/promises';
import { formatAmount } from '@chainwatch/common/amounts';
import { DECIMALS, type Account } from './payments.ts';

const COMMAND_MS_MAX = 30_000;
/** A receiver may answer first and book later. */
const BOOK_MS_MAX = 10_000;
const LOOK_MS = 100;
/** What is right may be credited once more a moment later. */
const SETTLE_MS = 500;

/** What the receiver has credited to the account, as a command prints it. */
export class Book {
  readonly #command: string;
  readonly #account: Account;
  readonly #signal: AbortSignal;

  constructor(command: string, account: Account, signal: AbortSignal) {
    this.#command = command;
    this.#account = account;
    this.#signal = signal;
  }

  /** Base units. @throws Error that says what the command did */
  async read(): Promise<bigint> {
    const { address, assetGid } = this.#account;
    const child = spawn('sh', ['-c', this.#command, 'balance-cmd', address, assetGid], {
      stdio: ['ignore', 'pipe', 'inherit'],
      signal: AbortSignal.any([this.#signal, AbortSignal.timeout(COMMAND_MS_MAX)]),
    });
    const closed = once(child, 'close') as Promise<[number | null]>;
    const [printed, [code]] = await Promise.all([text(child.stdout), closed]);
    if (code !== 0) throw new Error(`it ended with ${code ?? 'a signal'}`);
    const raw = parseBalance(printed.trim());
    if (raw === undefined)
      throw new Error(`expected a decimal number, got ${JSON.stringify(printed.trim())}`);
    return raw;
  }

  /** Why the balance is wrong; undefined: it is the expected one, and stays it. */
  async differs(expected: bigint): Promise<string | undefined> {
    const deadline = performance.now() + BOOK_MS_MAX;
    for (let settled = false; ; ) {
      const got = await this.read();
      if (got === expected && settled) return undefined;
      // Right once, and not any more: nothing makes it right again.
      if (got !== expected && (settled || performance.now() > deadline))
        return `expected a balance of ${formatAmount(expected, DECIMALS)}, got ${formatAmount(got, DECIMALS)}`;
      settled = got === expected;
      await wait(settled ? SETTLE_MS : LOOK_MS, undefined, { signal: this.#signal });
    }
  }
}

/** Base units; nothing is nothing credited. Undefined: no decimal number, or more exact than 18 digits. */
function parseBalance(printed: string): bigint | undefined {
  if (printed === '' || printed === 'null') return 0n;
  const [, sign, whole, fraction = ''] = /^([+-]?)(\d{1,60})(?:\.(\d{1,60}))?$/.exec(printed) ?? [];
  if (whole === undefined || /[1-9]/.test(fraction.slice(DECIMALS))) return undefined;
  const raw = BigInt(whole + fraction.slice(0, DECIMALS).padEnd(DECIMALS, '0'));
  return sign === '-' ? -raw : raw;
}
