// SPDX-License-Identifier: Apache-2.0
import { bytesOf, encodeBytes, encodeInt, intOf, readFields } from '../../../libs/chain-tron/src/protobuf.ts';

type Kind = 'address' | 'bytes' | 'int' | 'text' | 'bool' | 'resource' | 'contract';

interface ContractSchema {
  readonly type: number;
  /** Field number, name in JSON, kind. */
  readonly fields: readonly (readonly [number: number, name: string, kind: Kind])[];
}

/** The kinds of transactions that this node runs, as java-tron's protocol and HTTP API write them. */
const contractSchemas: Readonly<Record<string, ContractSchema>> = {
  AccountCreateContract: {
    type: 0,
    fields: [
      [1, 'owner_address', 'address'],
      [2, 'account_address', 'address'],
    ],
  },
  TransferContract: {
    type: 1,
    fields: [
      [1, 'owner_address', 'address'],
      [2, 'to_address', 'address'],
      [3, 'amount', 'int'],
    ],
  },
  TransferAssetContract: {
    type: 2,
    fields: [
      [1, 'asset_name', 'bytes'],
      [2, 'owner_address', 'address'],
      [3, 'to_address', 'address'],
      [4, 'amount', 'int'],
    ],
  },
  AssetIssueContract: {
    type: 6,
    fields: [
      [1, 'owner_address', 'address'],
      [2, 'name', 'bytes'],
      [3, 'abbr', 'bytes'],
      [4, 'total_supply', 'int'],
      [6, 'trx_num', 'int'],
      [7, 'precision', 'int'],
      [8, 'num', 'int'],
      [9, 'start_time', 'int'],
      [10, 'end_time', 'int'],
      [20, 'description', 'bytes'],
      [21, 'url', 'bytes'],
      [22, 'free_asset_net_limit', 'int'],
      [23, 'public_free_asset_net_limit', 'int'],
    ],
  },
  CreateSmartContract: {
    type: 30,
    fields: [
      [1, 'owner_address', 'address'],
      [2, 'new_contract', 'contract'],
      [3, 'call_token_value', 'int'],
      [4, 'token_id', 'int'],
    ],
  },
  TriggerSmartContract: {
    type: 31,
    fields: [
      [1, 'owner_address', 'address'],
      [2, 'contract_address', 'address'],
      [3, 'call_value', 'int'],
      [4, 'data', 'bytes'],
      [5, 'call_token_value', 'int'],
      [6, 'token_id', 'int'],
    ],
  },
  FreezeBalanceV2Contract: {
    type: 54,
    fields: [
      [1, 'owner_address', 'address'],
      [2, 'frozen_balance', 'int'],
      [3, 'resource', 'resource'],
    ],
  },
  DelegateResourceContract: {
    type: 57,
    fields: [
      [1, 'owner_address', 'address'],
      [2, 'resource', 'resource'],
      [3, 'balance', 'int'],
      [4, 'receiver_address', 'address'],
      [5, 'lock', 'bool'],
    ],
  },
};

/** What a transaction asks for: the contract's values as JSON shows them. */
export interface ContractCall {
  readonly name: string;
  readonly type: number;
  readonly value: Readonly<Record<string, unknown>>;
  readonly permissionId: number;
}

/** Reads the contract in the bytes of a transaction. @throws Error for a kind that this node does not run */
export function decodeCall(rawData: Buffer): ContractCall {
  const contract = readFields(bytesOf(readFields(rawData), 11));
  const type = Number(intOf(contract, 1));
  const found = Object.entries(contractSchemas).find(([, schema]) => schema.type === type);
  if (found === undefined) throw new Error(`the local node does not run contracts of type ${type}`);
  const [name, { fields }] = found;
  const parameter = readFields(bytesOf(readFields(bytesOf(contract, 2)), 2));
  const value: Record<string, unknown> = {};
  for (const [number, key, kind] of fields) {
    if (parameter.has(number))
      value[key] =
        kind === 'int'
          ? Number(intOf(parameter, number))
          : decodeValue(
              kind,
              kind === 'bool' || kind === 'resource' ? intOf(parameter, number) : bytesOf(parameter, number),
            );
  }
  return { name, type, value, permissionId: Number(intOf(contract, 5)) };
}

/**
 * Checks what the virtual machine would stumble over: a node refuses such a transaction when it comes, or a block could
 * not be made of it. @throws Error
 */
export function checkCall(call: ContractCall): ContractCall {
  for (const [, key, kind] of contractSchemas[call.name]!.fields) {
    const value = call.value[key];
    const isWrong =
      kind === 'address'
        ? !/^41[0-9a-f]{40}$/.test(String(value))
        : kind === 'int' && value !== undefined && Number(value) < 0;
    if (isWrong) throw new Error(`Invalid ${key}: ${String(value ?? 'none').slice(0, 60)}`);
  }
  return call;
}

/** The bytes of `raw_data` for a contract of one of the kinds above. */
export function encodeRawData(
  name: string,
  value: Readonly<Record<string, unknown>>,
  envelope: {
    refBlock: { number: number; hash: string };
    timestampMs: number;
    feeLimit?: bigint;
    data?: Uint8Array;
  },
): Buffer {
  const { type, fields } = contractSchemas[name]!;
  const parameter = Buffer.concat(
    fields.flatMap(([number, key, kind]) =>
      value[key] === undefined ? [] : [encodeValue(number, kind, value[key])],
    ),
  );
  const any = Buffer.concat([
    encodeBytes(1, Buffer.from(`type.googleapis.com/protocol.${name}`)),
    encodeBytes(2, parameter),
  ]);
  const contract = Buffer.concat([encodeInt(1, BigInt(type)), encodeBytes(2, any)]);
  const number = Buffer.alloc(8);
  number.writeBigUInt64BE(BigInt(envelope.refBlock.number));
  return Buffer.concat([
    encodeBytes(1, number.subarray(6)),
    encodeBytes(4, Buffer.from(envelope.refBlock.hash.slice(16, 32), 'hex')),
    encodeInt(8, BigInt(envelope.timestampMs + 60_000)),
    ...(envelope.data === undefined ? [] : [encodeBytes(10, envelope.data)]),
    encodeBytes(11, contract),
    encodeInt(14, BigInt(envelope.timestampMs)),
    encodeInt(18, envelope.feeLimit ?? 0n),
  ]);
}

const resources = ['BANDWIDTH', 'ENERGY', 'TRON_POWER'];

function decodeValue(kind: Kind, raw: bigint | Buffer): unknown {
  if (kind === 'bool') return raw === 1n;
  if (kind === 'resource') return resources[Number(raw)];
  if (kind === 'contract') return decodeNewContract(readFields(raw as Buffer));
  return kind === 'text' ? (raw as Buffer).toString('utf8') : (raw as Buffer).toString('hex');
}

function decodeNewContract(fields: ReturnType<typeof readFields>): Record<string, unknown> {
  return {
    origin_address: bytesOf(fields, 1).toString('hex'),
    bytecode: bytesOf(fields, 4).toString('hex'),
    ...(intOf(fields, 5) > 0n && { call_value: Number(intOf(fields, 5)) }),
    ...(fields.has(7) && { name: bytesOf(fields, 7).toString('utf8') }),
  };
}

function encodeValue(number: number, kind: Kind, value: unknown): Buffer {
  switch (kind) {
    case 'int':
      return encodeInt(number, BigInt(value as bigint));
    case 'bool':
      return encodeInt(number, value === true ? 1n : 0n);
    case 'resource':
      return encodeInt(number, BigInt(resources.indexOf(String(value))));
    case 'text':
      return encodeBytes(number, Buffer.from(String(value)));
    case 'contract': {
      const {
        origin_address: origin,
        bytecode,
        call_value: callValue = 0n,
      } = value as { origin_address: string; bytecode: string; call_value?: bigint };
      return encodeBytes(
        number,
        Buffer.concat([
          encodeBytes(1, Buffer.from(origin, 'hex')),
          encodeBytes(4, Buffer.from(bytecode, 'hex')),
          encodeInt(5, BigInt(callValue)),
          encodeInt(6, 100n),
        ]),
      );
    }
    default:
      return encodeBytes(number, Buffer.from(String(value), 'hex'));
  }
}
