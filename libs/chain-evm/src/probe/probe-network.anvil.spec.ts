// SPDX-License-Identifier: Apache-2.0
import { toNetworkDocument, type NetworkDocument, type ProbeFinding } from '@chainwatch/chain-core';
import { startAnvil, type AnvilHandle } from '@chainwatch/testing';
import { evmCatalogue } from '../networks.ts';
import { probeNetwork } from './probe-network.ts';

let anvil: AnvilHandle;
beforeAll(async () => {
  anvil = await startAnvil({ args: ['--chain-id', '5043'] });
  const [from, to] = await anvil.rpc<string[]>('eth_accounts');
  for (let count = 0; count < 5; count += 1)
    await anvil.rpc('eth_sendTransaction', [{ from, to, value: '0x1' }]);
  await anvil.mine(60);
  await anvil.rpc('eth_sendTransaction', [{ from, to, value: '0x1' }]);
}, 60_000);
afterAll(() => anvil.stop());

async function probe(endpointUrl: string, known?: NetworkDocument) {
  const findings = new Map<string, ProbeFinding>();
  const found = await probeNetwork({
    endpointUrl,
    findDocument: () => known,
    onFinding: (finding) => findings.set(finding.what, finding),
  });
  return { ...found, findings };
}

const anvilDocument = toNetworkDocument(evmCatalogue.builtIn.find(({ name }) => name === 'anvil')!);

it('says of a node that nobody described what its blocks prove, and what no node tells', async () => {
  const { findings, document, guessed } = await probe(anvil.url);
  expect([...findings.keys()]).toEqual([
    'chain',
    'stack',
    'header hash',
    'transactions root',
    'receipts root',
    'bloom',
    'block receipts',
    'raw encodings',
    'transaction types',
    'finality tags',
    'traces',
    'logs of native transfers',
    'Multicall3',
    'block time',
    'eth_getLogs',
  ]);
  for (const what of ['stack', 'header hash', 'transactions root', 'receipts root', 'bloom'])
    expect(findings.get(what)).toMatchObject({ answer: 'yes', found: expect.stringContaining('50') });
  expect(findings.get('transaction types')?.found).toBe('0x2');
  expect(findings.get('block receipts')?.answer).toBe('yes');
  expect(document).toMatchObject({
    gid: 'eip155:5043',
    family: 'evm',
    traits: { stack: 'ethereum' },
    confirmation: { type: 'tag', tag: 'finalized' },
  });
  expect(document.traits).not.toHaveProperty('header');
  expect(document.traits).not.toHaveProperty('roots');
  expect(guessed).toContain('native');
  expect(evmCatalogue.parse(document).gid).toBe('eip155:5043');
});

it('makes tolerant proofs strict where every block has them, and never the other way', async () => {
  const tolerant = { ...anvilDocument, traits: { stack: 'ethereum', header: 'tolerant', roots: 'tolerant' } };
  const { document, findings } = await probe(anvil.url, tolerant);
  expect(findings.get('Multicall3')?.answer).toBe('no');
  // Older blocks were not read.
  expect(document.traits).toEqual({ ...tolerant.traits, strict_from: expect.any(Number) });
  const earlier = { ...tolerant, traits: { ...tolerant.traits, strict_from: 1 } };
  expect((await probe(anvil.url, earlier)).document.traits).toEqual(earlier.traits);
  // Strict rules that the node's blocks do not meet: they stay, and the reason is told.
  const lying = await probeThroughLiar();
  // Its empty blocks have the root of nothing.
  expect(lying.findings.get('receipts root')?.answer).toBe('some');
  expect(lying.findings.get('header hash')?.answer).toBe('yes');
  expect(lying.findings.get('roots trait')).toMatchObject({
    answer: 'no',
    found: expect.stringMatching(/stays strict/),
  });
  expect(lying.document.traits).toEqual({ stack: 'ethereum' });
});

/** Its receipts say another gas: headers are right, the root of the receipts is not theirs. */
async function probeThroughLiar() {
  const { createServer } = await import('node:http');
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      void fetch(anvil.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: Buffer.concat(chunks),
      })
        .then((answer) => answer.text())
        .then((text) =>
          res.end(text.replace(/"cumulativeGasUsed":"0x[0-9a-f]+"/g, '"cumulativeGasUsed":"0x1"')),
        );
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as { port: number };
  try {
    return await probe(`http://127.0.0.1:${port}`, {
      ...anvilDocument,
      is_local: false,
      traits: { stack: 'ethereum' },
    });
  } finally {
    server.close();
    server.closeAllConnections();
  }
}

it.each([['a node that is not there', () => 'http://127.0.0.1:1']])(
  'refuses %s with its reason',
  async (_name, url) => {
    await expect(probe(url())).rejects.toThrow(/eth_chainId/);
  },
);
