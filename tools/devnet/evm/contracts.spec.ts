// SPDX-License-Identifier: Apache-2.0
import {
  createPublicClient,
  createWalletClient,
  encodeFunctionData,
  getContractAddress,
  http,
  parseEther,
  zeroAddress,
  type Hex,
} from 'viem';
import { foundry } from 'viem/chains';
import { privateKeyToAccount } from 'viem/accounts';
import { startAnvil, type AnvilHandle } from '@chainwatch/testing';
import { contracts, type ContractName } from './contracts.ts';

/** anvil's first account, public knowledge. */
const account = privateKeyToAccount('0xac0974bec39a17e36ba4a6b4d238ff944bacb478cbed5efcae784d7bf4f2ff80');
const recipient = '0x00000000000000000000000000000000000000aa';
let anvil: AnvilHandle;

beforeAll(async () => {
  anvil = await startAnvil();
});
afterAll(() => anvil.stop());

const clients = () => ({
  wallet: createWalletClient({ account, chain: foundry, transport: http(anvil.url) }),
  reader: createPublicClient({ chain: foundry, transport: http(anvil.url), pollingInterval: 50 }),
});

async function deploy(name: ContractName): Promise<Hex> {
  const { wallet, reader } = clients();
  const nonce = await reader.getTransactionCount({ address: account.address });
  await reader.waitForTransactionReceipt({ hash: await wallet.deployContract({ ...contracts[name] }) });
  return getContractAddress({ from: account.address, nonce: BigInt(nonce) });
}

async function call(name: ContractName, to: Hex, functionName: string, args: readonly unknown[], value = 0n) {
  const { wallet, reader } = clients();
  const data = encodeFunctionData({ abi: contracts[name].abi, functionName, args });
  return reader.waitForTransactionReceipt({ hash: await wallet.sendTransaction({ to, data, value }) });
}

const balanceOf = (name: ContractName, address: Hex) =>
  clients().reader.readContract({
    address,
    abi: contracts[name].abi,
    functionName: 'balanceOf',
    args: [recipient],
  });

describe('the contracts of the local chain', () => {
  it('mints and moves TestToken, many at once too', async () => {
    const token = await deploy('TestToken');
    await call('TestToken', token, 'mint', [account.address, 100n]);
    await call('TestToken', token, 'transfer', [recipient, 7n]);
    const { logs } = await call('TestToken', token, 'transferMany', [[recipient, recipient], 5n]);
    expect(logs).toHaveLength(2);
    expect(await balanceOf('TestToken', token)).toBe(17n);
  });

  it('changes a RebasingToken balance without a Transfer', async () => {
    const token = await deploy('RebasingToken');
    await call('RebasingToken', token, 'mint', [recipient, 1_000n]);
    const { logs } = await call('RebasingToken', token, 'rebase', [150n]);
    expect(logs).toHaveLength(1);
    expect(await balanceOf('RebasingToken', token)).toBe(1_500n);
  });

  it('keeps one per cent of a FeeToken transfer', async () => {
    const token = await deploy('FeeToken');
    await call('FeeToken', token, 'mint', [account.address, 1_000n]);
    await call('FeeToken', token, 'transfer', [recipient, 1_000n]);
    expect(await balanceOf('FeeToken', token)).toBe(990n);
  });

  it('forwards ether, and keeps it when the inner call reverts', async () => {
    const { reader } = clients();
    const forwarder = await deploy('Forwarder');
    await call('Forwarder', forwarder, 'forward', [recipient], parseEther('1'));
    await call('Forwarder', forwarder, 'split', [[recipient, recipient]], parseEther('1'));
    const { status } = await call('Forwarder', forwarder, 'forwardAndRevert', [recipient], parseEther('3'));
    expect(status).toBe('success');
    expect(await reader.getBalance({ address: recipient })).toBe(parseEther('2'));
    expect(await reader.getBalance({ address: forwarder })).toBe(parseEther('3'));
  });

  it('names a Bytes32Token in bytes32', async () => {
    const token = await deploy('Bytes32Token');
    const symbol = await clients().reader.readContract({
      address: token,
      abi: contracts.Bytes32Token.abi,
      functionName: 'symbol',
    });
    expect(symbol).toBe(`0x${Buffer.from('B32').toString('hex').padEnd(64, '0')}`);
  });

  it('emits a Transfer with one topic only', async () => {
    const emitter = await deploy('UnindexedEmitter');
    const { logs } = await call('UnindexedEmitter', emitter, 'emitTransfer', [zeroAddress, recipient, 1n]);
    expect(logs[0]?.topics).toHaveLength(1);
  });

  it('leaves the ether of a SelfDestructor to its heir', async () => {
    const heir = '0x00000000000000000000000000000000000000bb';
    const contract = await deploy('SelfDestructor');
    await call('SelfDestructor', contract, 'destroy', [heir], parseEther('1'));
    expect(await clients().reader.getBalance({ address: heir })).toBe(parseEther('1'));
  });
});
