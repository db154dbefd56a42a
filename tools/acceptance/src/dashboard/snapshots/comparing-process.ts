// SPDX-License-Identifier: Apache-2.0
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import type { Difference } from './compare-pictures.ts';

/** `comparePictures` outside of Jest, whose sandbox looks up each `Math` anew: a picture would take a second. */
export class ComparingProcess {
  readonly #child = fork(fileURLToPath(new URL('compare-in-process.ts', import.meta.url)), {
    execArgv: ['--import', 'tsx'],
    env: { ...process.env, NODE_OPTIONS: '' },
    serialization: 'advanced',
  });

  readonly #ended = once(this.#child, 'exit').then(([code]) => {
    throw new Error(`expected an answer, got exit ${code}`);
  });

  constructor() {
    this.#ended.catch(() => undefined);
  }

  /** One at a time. */
  async compare(kept: Uint8Array, taken: Uint8Array): Promise<Difference | undefined> {
    this.#child.send([kept, taken]);
    const [answer] = await Promise.race([once(this.#child, 'message'), this.#ended]);
    return (answer as { difference?: Difference }).difference;
  }

  close(): void {
    this.#child.kill();
  }
}
