// SPDX-License-Identifier: Apache-2.0
import { initEccLib } from 'bitcoinjs-lib';
import * as secp256k1 from 'tiny-secp256k1';
import { answerTask } from './answer-task.ts';

// bitcoinjs-lib needs it to tweak taproot keys.
initEccLib(secp256k1);

/** What the threads of DerivationPool run. */
export default answerTask;
