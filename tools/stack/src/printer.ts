// SPDX-License-Identifier: Apache-2.0
import { exitWith } from '@chainwatch/testing/host';

export interface Printer {
  /** A line of a process. */
  print(name: string, text: string): void;
  /** A line of the stack itself. */
  note(text: string): void;
  ready(): void;
  /** Ends this process with exit code 1. */
  fail(error: unknown): void;
}

export type DetachedMessage =
  | { readonly type: 'note'; readonly text: string }
  | { readonly type: 'ready' }
  | { readonly type: 'failed'; readonly name: string; readonly message: string; readonly detail?: string };

const NAME_WIDTH = 22;
const COLORS = [36, 33, 35, 32, 34, 31, 96, 93, 95, 92, 94];

/** To the console; in the background also to the process that waits for it to become ready. */
export function createPrinter(isDetached: boolean): Printer {
  const send = (message: DetachedMessage): void => {
    if (isDetached && process.connected) process.send?.(message);
  };
  const note = (text: string): void => {
    process.stdout.write(`${text}\n`);
    send({ type: 'note', text });
  };
  return {
    note,
    print: (name, text) => process.stdout.write(`${color(name)} | ${text}\n`),
    ready() {
      send({ type: 'ready' });
      if (isDetached) process.disconnect?.();
    },
    fail(error) {
      const { name, message, detail } = error as Error & { detail?: string };
      if (!isDetached || !process.connected) return exitWith(error);
      process.send?.({ type: 'failed', name, message, detail } satisfies DetachedMessage, () =>
        exitWith(error),
      );
    },
  };
}

function color(name: string): string {
  const padded = name.padEnd(NAME_WIDTH);
  if (!process.stdout.isTTY) return padded;
  const sum = [...name].reduce((total, letter) => total + letter.charCodeAt(0), 0);
  return `\u001B[${COLORS[sum % COLORS.length]}m${padded}\u001B[0m`;
}
