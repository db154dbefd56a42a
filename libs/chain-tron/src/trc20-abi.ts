import { utils } from 'tronweb';

const trc20 = new utils.ethersUtils.Interface(['function balanceOf(address) view returns (uint256)']);
const FIRST_WORD = /^0x[0-9a-fA-F]{64}/;

/** Call data that asks a contract what a canonical address holds, `0x…`. */
export function encodeBalanceCall(address: string): string {
  return `${trc20.getFunction('balanceOf')!.selector}${utils.abi.encodeParams(['address'], [address]).slice(2)}`;
}

/** The first word of a result; undefined when it is shorter than one. Contracts may answer with more. */
export function decodeBalance(result: string | undefined): bigint | undefined {
  const word = FIRST_WORD.exec(result ?? '')?.[0];
  if (word === undefined) return undefined;
  const [balance] = utils.abi.decodeParams([], ['uint256'], word) as readonly bigint[];
  return balance;
}
