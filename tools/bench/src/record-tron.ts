// SPDX-License-Identifier: Apache-2.0
import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { computeBlockId } from '../../../libs/chain-tron/src/encode-header.ts';
import { encodeTransaction } from '../../../libs/chain-tron/src/encode-transaction.ts';
import { computeMerkleRoot } from '../../../libs/chain-tron/src/merkle-root.ts';
import { decodeCall, encodeRawData } from '../../devnet/tron/contract-schema.ts';
import { showRawData } from '../../devnet/tron/show-wallet.ts';

const TRANSFER = 'ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef';
const FIRST = 70_000_000;
const START_MS = 1_750_000_000_000;

export interface TronRecording {
  readonly file: string;
  readonly refs: readonly { readonly number: number; readonly hash: string }[];
  /** Of all blocks, headers apart. */
  readonly bytes: number;
}

/** Blocks as a node of mainnet answers them: half TRX, half TRC-20 transfers between `41…` addresses that `addressOf` gives. */
export function recordTron(
  file: string,
  shape: { blocks: number; transactions: number },
  addressOf: (index: number) => string,
): TronRecording {
  const refs: { number: number; hash: string }[] = [];
  const lines: string[] = [];
  let parent = { number: FIRST - 1, hash: '0'.repeat(64) };
  let bytes = 0;
  for (let block = 0; block < shape.blocks; block += 1) {
    const number = FIRST + block;
    const timestampMs = START_MS + block * 3_000;
    const made = Array.from({ length: shape.transactions }, (_, index) =>
      makeTransaction(block * shape.transactions + index, { parent, number, timestampMs }, addressOf),
    );
    const header = {
      timestamp: BigInt(timestampMs),
      txTrieRoot: computeMerkleRoot(made.map(({ leaf }) => leaf)),
      parentHash: Buffer.from(parent.hash, 'hex'),
      number: BigInt(number),
      witnessId: 0n,
      witnessAddress: Buffer.from(addressOf(0), 'hex'),
      version: 34n,
      accountStateRoot: Buffer.alloc(0),
    };
    const hash = computeBlockId(header);
    const rawData = {
      number,
      txTrieRoot: header.txTrieRoot.toString('hex'),
      witness_address: addressOf(0),
      parentHash: parent.hash,
      version: 34,
      timestamp: timestampMs,
    };
    const shown = {
      blockID: hash,
      block_header: { raw_data: rawData, witness_signature: hex('witness', 65) },
    };
    const body = JSON.stringify({ ...shown, transactions: made.map(({ tx }) => tx) });
    const infos = JSON.stringify(made.map(({ info }) => info));
    bytes += body.length + infos.length;
    lines.push([number, hash, JSON.stringify(shown), body, infos].join('\t'));
    parent = { number, hash };
    refs.push(parent);
  }
  writeFileSync(file, `${lines.join('\n')}\n`);
  return { file, refs, bytes };
}

interface Place {
  readonly parent: { readonly number: number; readonly hash: string };
  readonly number: number;
  readonly timestampMs: number;
}

function makeTransaction(
  turn: number,
  { parent, number, timestampMs }: Place,
  addressOf: (index: number) => string,
): { tx: object; info: object; leaf: Buffer } {
  const [owner, to] = [addressOf(turn * 2), addressOf(turn * 2 + 1)];
  const isToken = turn % 2 === 1;
  const word = (digits: string): string => digits.padStart(64, '0');
  const amount = 1_000 + turn;
  const call = isToken
    ? {
        name: 'TriggerSmartContract',
        value: {
          owner_address: owner,
          contract_address: addressOf(0),
          data: `a9059cbb${word(to.slice(2))}${word(amount.toString(16))}`,
        },
      }
    : { name: 'TransferContract', value: { owner_address: owner, to_address: to, amount } };
  const rawData = encodeRawData(call.name, call.value, {
    refBlock: parent,
    timestampMs: timestampMs - 1_500,
    ...(isToken && { feeLimit: 100_000_000n }),
  });
  const txID = createHash('sha256').update(rawData).digest('hex');
  const tx = {
    ret: [{ contractRet: 'SUCCESS' }],
    signature: [hex(txID, 65)],
    txID,
    ...showRawData(rawData, decodeCall(rawData)),
    raw_data_hex: rawData.toString('hex'),
  };
  const base = {
    id: txID,
    fee: 345_000,
    blockNumber: number,
    blockTimeStamp: timestampMs,
    contractResult: [''],
  };
  const info = isToken
    ? {
        ...base,
        contract_address: addressOf(0),
        receipt: { energy_usage: 64_285, energy_usage_total: 64_285, net_fee: 345_000, result: 'SUCCESS' },
        log: [
          {
            address: addressOf(0).slice(2),
            topics: [TRANSFER, word(owner.slice(2)), word(to.slice(2))],
            data: word(amount.toString(16)),
          },
        ],
      }
    : { ...base, receipt: { net_fee: 345_000 } };
  return { tx, info, leaf: createHash('sha256').update(encodeTransaction(rawData, tx)).digest() };
}

function hex(seed: string, bytes: number): string {
  let text = '';
  for (let part = 0; text.length < bytes * 2; part += 1)
    text += createHash('sha256').update(`${seed} ${part}`).digest('hex');
  return text.slice(0, bytes * 2);
}
