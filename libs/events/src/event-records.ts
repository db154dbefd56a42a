// SPDX-License-Identifier: Apache-2.0
import { DECIMAL_PATTERN } from '@chainwatch/common/amounts';
import { ASSET_GID_PATTERN, CHAIN_GID_PATTERN } from '@chainwatch/common/caip';
import { z } from 'zod';
import { eventProof } from './proof-records.ts';

/** What may stand behind a transaction, as records and channel filters spell it. */
export const VERIFICATIONS = ['proved', 'agreed', 'attested', 'settling', 'trusted', 'unproved'] as const;

/** Why a balance changes: by transactions, or in a way that no transaction tells. */
export const CHANGE_REASONS = [
  'transfer',
  'fee',
  'withdrawal',
  'reward',
  'mint',
  'atomic',
  'staking_reward',
  'stake_withdrawal',
  'adjustment',
] as const;
export type ChangeReason = (typeof CHANGE_REASONS)[number];

const TRANSACTION = '0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060';
const BLOCK = '0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3';
const SENDER = '0x742d35Cc6634C0532925a3b844Bc454e4438f44e';
const RECEIVER = '0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045';
const ETHER = 'eip155:1/slip44:60';
const ID = '6f1d1f4e-0000-4000-8000-000000000001';

const raw = z.string().regex(/^-?\d+$/);
const decimal = z.string().regex(DECIMAL_PATTERN);
export const height = z.int().min(0);
export const time = z.iso.datetime();

export const chainGid = z
  .string()
  .regex(CHAIN_GID_PATTERN)
  .meta({ description: 'The chain as CAIP-2.', examples: ['eip155:1'] });
export const projectId = z
  .uuid()
  .meta({ description: 'The project that the address belongs to.', examples: [ID] });
const assetGid = z
  .string()
  .regex(ASSET_GID_PATTERN)
  .meta({ description: 'The asset as CAIP-19.', examples: [ETHER] });
const addressId = z
  .uuid()
  .meta({ description: 'The monitored address, as `id` in `/addresses`.', examples: [ID] });
const address = z.string().meta({
  description: 'The address in its display form (EVM: EIP-55), as in `/addresses`.',
  examples: [RECEIVER],
});

/** On chains of unspent outputs one leg: an input (no `to`) or an output (no `from`); the legs of an address add up. */
export const transferRecord = z
  .object({
    index: z.int().meta({
      description:
        'Position in the transaction, from 0; on UTXO chains the inputs come first, then the outputs.',
      examples: [0],
    }),
    type: z.enum(['native', 'token', 'internal', 'nft']).meta({
      description:
        '`native`: the coin that the transaction itself moves; `token`: a transfer that a token tells; `internal`: a coin that a contract moved; `nft`: a token of a collection, which is no amount.',
    }),
    asset_gid: assetGid,
    from: z
      .string()
      .nullable()
      .meta({
        description:
          'Sender in its display form. Null where the source is no account: coinbases and mints, and every output of a UTXO transaction.',
        examples: [SENDER],
      }),
    to: z
      .string()
      .nullable()
      .meta({
        description: 'Receiver in its display form. Null for every input of a UTXO transaction.',
        examples: [RECEIVER],
      }),
    amount: decimal.nullable().meta({
      description:
        'In whole units of the asset, an exact decimal. Null while the decimals of the token are not known, and for an `nft`.',
      examples: ['1.5'],
    }),
    amount_raw: raw.meta({
      description: 'In base units of the asset (wei, satoshi, lamport, sun), an integer. `0` for an `nft`.',
      examples: ['1500000000000000000'],
    }),
    decimals: z
      .int()
      .nullable()
      .meta({
        description: 'Decimal places between base and whole units. Null while they are not known.',
        examples: [18],
      }),
    log_index: z
      .int()
      .nullable()
      .meta({
        description: 'Position of the log in the block, for token transfers of EVM and TRON chains.',
        examples: [null],
      }),
    memo: z
      .string()
      .nullable()
      .default(null)
      .meta({
        description:
          'What the sender wrote to this transfer of a token with memos (B20, CAS20, TIP-20): text without the zero bytes behind it, or `0x` and 64 digits where it is no printable UTF-8. Null where there is none.',
        examples: [null],
      }),
    monitored_addresses: z.array(z.string()).meta({
      description:
        'Addresses of the project among `from` and `to`, in their display form. Empty for an output of a UTXO transaction that pays another party from an output of the project.',
      examples: [[RECEIVER]],
    }),
  })
  .meta({ id: 'Transfer', description: 'One movement of one asset within a transaction.' });

export const transactionRecord = z
  .object({
    id: z
      .uuid()
      .meta({ description: 'Of this transaction in this project; the same after a reorg.', examples: [ID] }),
    chain_gid: chainGid,
    hash: z.string().meta({
      description: 'The transaction hash (Bitcoin: txid, Solana: signature), as the chain writes it.',
      examples: [TRANSACTION],
    }),
    status: z.enum(['pending', 'detected', 'confirmed', 'reorged', 'failed']).meta({
      description:
        '`pending`: in the mempool; `detected`: in a block; `confirmed`: in a block that is final by the policy of the project or else of the chain; `reorged`: its block left the chain; `failed`: in a block, but it moved nothing.',
    }),
    direction: z
      .enum(['in', 'out', 'self'])
      .meta({ description: 'As the monitored addresses see it: `self` where they are on both sides.' }),
    block_number: height.nullable().meta({
      description: 'Height of its block, on Solana the slot. Null while pending.',
      examples: [21_000_000],
    }),
    block_hash: z
      .string()
      .nullable()
      .meta({ description: 'Hash of its block. Null while pending.', examples: [BLOCK] }),
    block_timestamp: time.nullable().meta({
      description: 'When its block says that it was made. Null while pending.',
      examples: ['2026-01-01T00:00:00.000Z'],
    }),
    tx_index: z
      .int()
      .nullable()
      .meta({ description: 'Position in its block, from 0. Null while pending.', examples: [7] }),
    confirmations: z.int().meta({
      description: 'Blocks that hold it, its own included; 0 while pending or reorged.',
      examples: [1],
    }),
    required_confirmations: z.int().meta({
      description:
        'Confirmations after which it becomes `confirmed`, fixed when it was detected. If the project has no `depth` policy and the chain reports finality, finality decides.',
      examples: [12],
    }),
    fee: z
      .object({
        asset_gid: assetGid,
        amount: decimal.nullable().meta({
          description:
            'In whole units of the asset. Null while the decimals of a token that pays the fee are not known.',
          examples: ['0.00042'],
        }),
        amount_raw: raw.meta({ description: 'In base units of the asset.', examples: ['420000000000000'] }),
      })
      .nullable()
      .meta({
        description:
          'What the sender paid for it. Null where there is none and, on UTXO chains, where an input is spent that no watched address owned: its amount is not known.',
      }),
    memo: z
      .string()
      .nullable()
      .default(null)
      .meta({
        description:
          'What the sender wrote into it: the data of a TRON transaction, instructions of the memo program on Solana, OP_RETURN outputs on Bitcoin, the memos of its `transfers` on EVM chains; several are lines. Parts that are not printable UTF-8 are left out. Null if nothing remains, or if it has more than 1,024 bytes.',
        examples: ['order 1042'],
      }),
    matures_at_block: height
      .nullable()
      .default(null)
      .meta({
        description:
          'For a coinbase transaction (block reward of Bitcoin): the first block whose transactions may spend its outputs. `confirmed` does not imply it. Null for any other transaction, and once the block left the chain.',
        examples: [null],
      }),
    transfers: z
      .array(transferRecord)
      .meta({ description: 'What it moved from or to monitored addresses, by `index`.' }),
    replaced_by: z
      .string()
      .nullable()
      .meta({
        description:
          'Hash of the transaction that spends the same outputs in its place (RBF). Null otherwise.',
        examples: [null],
      }),
    verification: z
      .enum(VERIFICATIONS)
      .nullable()
      .default('proved')
      .meta({
        description:
          'What stands behind the transaction. `proved`: recomputed against the block header. `agreed`: nodes of different operators give the same. `attested`: the chain offers no proof, one node states it. `settling`: a later block brings the proof; the transaction is not confirmed before. `trusted`: the operator of this service vouches for it. `unproved`: the proof is missing; the transaction is confirmed once another node agrees, the proof arrives, or the operator vouches. Null in test messages. Treat an unknown value like `unproved`.',
        examples: ['proved'],
      }),
    detected_at: time.meta({
      description: 'When the service first saw it.',
      examples: ['2026-01-01T00:00:01.000Z'],
    }),
    confirmed_at: time
      .nullable()
      .meta({ description: 'When it was confirmed. Null before.', examples: [null] }),
    reorged_at: time
      .nullable()
      .meta({ description: 'When its block left the chain. Null otherwise.', examples: [null] }),
  })
  .meta({ id: 'Transaction', description: 'A transaction of monitored addresses of the project.' });

export const balanceChangeRecord = z
  .object({
    address_id: addressId,
    address,
    asset_gid: assetGid,
    delta: decimal.nullable().meta({
      description: 'Signed, in whole units of the asset. Null while the decimals of the token are not known.',
      examples: ['1.5'],
    }),
    delta_raw: raw.meta({
      description: 'Signed, in base units of the asset.',
      examples: ['1500000000000000000'],
    }),
  })
  .meta({
    id: 'BalanceChange',
    description:
      'What the transaction did to one monitored address: its transfers and, for the sender, the fee.',
  });

const concernedAddressRecord = z
  .object({
    address_id: addressId,
    address,
    label: z
      .string()
      .nullable()
      .meta({ description: 'As its user calls it.', examples: ['Order 1042'] }),
    groups: z
      .array(z.string())
      .meta({ description: 'Groups that its user put it into.', examples: [['shop-7']] }),
    metadata: z.record(z.string(), z.unknown()).meta({
      description:
        'JSON of its user, given back as it came; empty where `metadata_truncated` says that it is left out.',
      examples: [{ customer_id: '1042' }],
    }),
    metadata_truncated: z.boolean().meta({
      description:
        'True where the metadata is left out: it has more than 4 KiB, or that of all addresses of the event more than 64 KiB, and `GET /addresses/{address}` has it; or the address was deleted.',
      examples: [false],
    }),
  })
  .meta({
    id: 'ConcernedAddress',
    description:
      'A monitored address of the project that the event concerns, with its label, groups, and metadata at the time of the event. If it was deleted after the transaction was reported, it has its groups only.',
  });

/** Events of an earlier release have none. */
const concernedAddresses = z.array(concernedAddressRecord).default([]).meta({
  description:
    'Each monitored address that the event concerns, once; the first 100, and at most 256 KiB besides their metadata.',
});

export const transactionData = z
  .object({
    transaction: transactionRecord.meta({
      description: 'The transaction as it was when the event was made.',
    }),
    balance_changes: z
      .array(balanceChangeRecord)
      .meta({ description: 'One for each monitored address and asset; the first 100.' }),
    addresses: concernedAddresses,
    truncated: z.boolean().meta({
      description:
        'True where transfers, balance changes or addresses were left out because there are too many; `GET /transactions/{id}` has all transfers. Filters of channels let the event pass where what was left out may agree with them.',
      examples: [false],
    }),
    addresses_truncated: z
      .boolean()
      .optional()
      .meta({ description: 'True where addresses were left out. Absent otherwise.', examples: [true] }),
    proof: eventProof.optional(),
  })
  .meta({ description: 'What happened.' });

const reasonedChange = z
  .object({
    reason: z.enum(CHANGE_REASONS).meta({
      description:
        '`transfer` and `fee`: transactions, which have their own events. The other reasons are reported only here. `withdrawal`: of a validator. `reward`: of a block, or minted with it. `mint`: a deposit from another chain. `atomic`: an import or export between chains of Avalanche. `staking_reward`, `stake_withdrawal`: of a stake. `adjustment`: nothing explains it (rebasing tokens, fees that a block pays to its producer, transfers that a node without traces hides). Treat an unknown value like `adjustment`.',
      examples: ['withdrawal'],
    }),
    amount: decimal.nullable().meta({
      description: 'In whole units, signed. Null while the decimals of the asset are not known.',
      examples: ['1.5'],
    }),
    amount_raw: raw.meta({ description: 'The same in base units.', examples: ['1500000000000000000'] }),
    since_block: height.optional().meta({
      description: 'Of an adjustment: it happened after this block.',
      examples: [20_999_990],
    }),
    until_block: height.optional().meta({
      description: 'Of an adjustment: it happened up to this block.',
      examples: [21_000_000],
    }),
  })
  .meta({ description: 'A part of a change, by its reason.' });

export const balanceChangedData = z
  .object({
    address_id: addressId,
    address,
    chain_gid: chainGid,
    asset_gid: assetGid,
    previous: decimal.nullable().meta({
      description:
        'Balance before, in whole units. Null where none was known, and while the decimals of the token are not known.',
      examples: ['0'],
    }),
    current: decimal.nullable().meta({
      description:
        'Balance at the block, in whole units, as the chain states it. Null while the decimals of the token are not known.',
      examples: ['1.5'],
    }),
    delta: decimal.nullable().meta({
      description: '`current` less `previous`, in whole units. Null where one of them is.',
      examples: ['1.5'],
    }),
    current_raw: raw.optional().meta({
      description: '`current` in base units. Absent in events of earlier releases.',
      examples: ['1500000000000000000'],
    }),
    delta_raw: raw
      .nullable()
      .optional()
      .meta({
        description:
          '`delta` in base units. Null where no balance before was known, absent in events of earlier releases.',
        examples: ['1500000000000000000'],
      }),
    changes: z
      .array(reasonedChange)
      .optional()
      .meta({
        description:
          'Why it changed, each reason once: adds up to `delta`. A reorg is reversed under the original reason. If `delta` is null: the known changes of the block, or empty. Absent in events of earlier releases.',
        examples: [[{ reason: 'withdrawal', amount: '1.5', amount_raw: '1500000000000000000' }]],
      }),
    block_number: height.meta({
      description: 'Block at which the balance was read.',
      examples: [21_000_000],
    }),
    block_hash: z.string().meta({ description: 'Hash of that block.', examples: [BLOCK] }),
    is_confirmed: z.boolean().meta({ description: 'Whether that block is final.', examples: [false] }),
    verification: z
      .enum(VERIFICATIONS)
      .nullable()
      .optional()
      .meta({
        description:
          'What stands behind the balance. `proved`: the sum of proved coins, on chains of unspent outputs. `attested`: a node states it, on all other chains; on chains of unspent outputs, an adjustment. `unproved`: a node states it, and only what is unproved explains it. Null in test messages, absent in events of earlier releases. Treat an unknown value like `unproved`.',
        examples: ['attested'],
      }),
    addresses: concernedAddresses,
  })
  .meta({ description: 'What the chain now says of one address and asset.' });

/** Told to the other channels of the project: the failed one cannot. */
export const channelFailedData = z
  .object({
    channel: z
      .object({
        id: z.uuid().meta({ description: 'Of the channel.', examples: [ID] }),
        kind: z.string().meta({ description: 'Of the channel.', examples: ['webhook'] }),
        name: z.string().meta({ description: 'As its user called it.', examples: ['Payments'] }),
        failed_at: time.meta({
          description: 'When the service gave it up.',
          examples: ['2026-01-01T00:00:00.000Z'],
        }),
        failure_reason: z
          .string()
          .meta({ description: 'Why, for people.', examples: ['the receiver answered 410 Gone'] }),
      })
      .meta({ description: 'The channel that failed.' }),
  })
  .meta({ description: 'What happened.' });

export type TransactionRecord = z.infer<typeof transactionRecord>;
export type TransferRecord = z.infer<typeof transferRecord>;
export type BalanceChangeRecord = z.infer<typeof balanceChangeRecord>;
export type ConcernedAddressRecord = z.infer<typeof concernedAddressRecord>;
export type TransactionData = z.infer<typeof transactionData>;
export type BalanceChangedData = z.infer<typeof balanceChangedData>;
export type ChannelFailedData = z.infer<typeof channelFailedData>;
