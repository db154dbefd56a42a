// SPDX-License-Identifier: Apache-2.0
import { base58 } from '@scure/base';
import type { PublicKey } from '@solana/web3.js';
import type { Account } from '../litesvm.ts';
import { invalidParams, RpcError } from '../rpc-error.ts';
import {
  decimalsOf,
  findMint,
  findTokenAccount,
  TOKEN_2022_PROGRAM,
  TOKEN_PROGRAM,
  toTokenAmount,
} from '../token-accounts.ts';
import { configOf, keyOf, withContext, type Config, type Method, type MethodContext } from './method.ts';

const ACCOUNTS_MAX = 100;

const getMultipleAccounts: Method = (context, params) => {
  const keys = params[0] as readonly unknown[];
  const config = configOf(params, 1);
  if (!Array.isArray(keys) || keys.length > ACCOUNTS_MAX)
    throw invalidParams(`Too many inputs provided; max ${ACCOUNTS_MAX}`);
  return withContext(
    context,
    config,
    keys.map((key) => encodeAccount(accountOf(context, keyOf(key)), config)),
  );
};

const getTokenAccountsByOwner: Method = (context, params) => {
  const owner = keyOf(params[0]);
  const filter = configOf(params, 1);
  const config = configOf(params, 2);
  const { vm } = context.ledger;
  const isWanted = wanted(filter);
  const value = [TOKEN_PROGRAM, TOKEN_2022_PROGRAM].flatMap((program) =>
    vm.getProgramAccounts(program.toBytes()).flatMap((entry) => {
      const token = findTokenAccount(entry.account());
      if (token === undefined || !token.owner.equals(owner) || !isWanted(token.mint, token.programId))
        return [];
      return [{ pubkey: base58.encode(entry.address), account: encodeAccount(entry.account(), config) }];
    }),
  );
  return withContext(context, config, value);
};

function wanted(filter: Config): (mint: PublicKey, program: PublicKey) => boolean {
  const mint = filter['mint'] === undefined ? undefined : keyOf(filter['mint']);
  const program = filter['programId'] === undefined ? undefined : keyOf(filter['programId']);
  if (mint === undefined && program === undefined) throw invalidParams('expected a mint or a programId');
  return (ofAccount, owner) =>
    (mint === undefined || mint.equals(ofAccount)) && (program === undefined || program.equals(owner));
}

const getProgramAccounts: Method = (context, params) => {
  const config = configOf(params, 1);
  const filters = (config['filters'] ?? []) as readonly Config[];
  const accounts = context.ledger.vm
    .getProgramAccounts(keyOf(params[0]).toBytes())
    .filter((entry) => filters.every((filter) => passes(entry.account(), filter)))
    .map((entry) => ({
      pubkey: base58.encode(entry.address),
      account: encodeAccount(entry.account(), config),
    }));
  return config['withContext'] === true ? withContext(context, config, accounts) : accounts;
};

function passes(account: Account, filter: Config): boolean {
  if (typeof filter['dataSize'] === 'number') return account.data().length === filter['dataSize'];
  const { offset, bytes } = configOf([filter['memcmp']], 0) as { offset: number; bytes: string };
  const wantedBytes = base58.decode(bytes);
  return Buffer.from(account.data())
    .subarray(offset, offset + wantedBytes.length)
    .equals(Buffer.from(wantedBytes));
}

function accountOf({ ledger }: MethodContext, key: PublicKey): Account | null {
  return ledger.vm.getAccount(key.toBytes());
}

function encodeAccount(account: Account | null, config: Config): object | null {
  if (account === null) return null;
  const slice = config['dataSlice'] as { offset: number; length: number } | undefined;
  const data = Buffer.from(account.data());
  const part = slice === undefined ? data : data.subarray(slice.offset, slice.offset + slice.length);
  // Parsing is left to clients: an account that a node has no parser for comes as base64, too.
  const isBase58 = config['encoding'] === 'base58' || config['encoding'] === undefined;
  return {
    data: isBase58 ? [base58.encode(part), 'base58'] : [part.toString('base64'), 'base64'],
    executable: account.executable(),
    lamports: Number(account.lamports()),
    owner: base58.encode(account.owner()),
    rentEpoch: Number(account.rentEpoch()),
    space: data.length,
  };
}

const getTokenAccountBalance: Method = (context, params) => {
  const token = findTokenAccount(accountOf(context, keyOf(params[0])));
  if (token === undefined) throw new RpcError(-32602, 'Invalid param: could not find account');
  return withContext(
    context,
    configOf(params, 1),
    toTokenAmount(token.amount, decimalsOf(context.ledger.vm, token.mint)),
  );
};

const getTokenSupply: Method = (context, params) => {
  const mint = findMint(accountOf(context, keyOf(params[0])));
  if (mint === undefined) throw new RpcError(-32602, 'Invalid param: not a Token mint');
  return withContext(context, configOf(params, 1), toTokenAmount(mint.supply, mint.decimals));
};

export const accountMethods: Readonly<Record<string, Method>> = {
  getMultipleAccounts,
  getTokenAccountsByOwner,
  getProgramAccounts,
  getTokenAccountBalance,
  getTokenSupply,
  getBalance: (context, params) =>
    withContext(
      context,
      configOf(params, 1),
      Number(context.ledger.vm.getBalance(keyOf(params[0]).toBytes()) ?? 0n),
    ),
  getAccountInfo: (context, params) =>
    withContext(
      context,
      configOf(params, 1),
      encodeAccount(accountOf(context, keyOf(params[0])), configOf(params, 1)),
    ),
  getMinimumBalanceForRentExemption: ({ ledger }, params) =>
    Number(ledger.vm.minimumBalanceForRentExemption(BigInt(Number(params[0])))),
};
