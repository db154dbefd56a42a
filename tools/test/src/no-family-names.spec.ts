import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Packages that name a family, and why they may. What every chain goes through does not: every other app and library. */
const MAY_NAME: Readonly<Record<string, string>> = {
  'libs/chain-evm': 'a family',
  'libs/chain-bitcoin': 'a family',
  'libs/chain-solana': 'a family',
  'libs/chain-tron': 'a family',
  'libs/ethereum-rpc': 'shared by two families',
  'libs/chain-registry': 'a line for each family',
  'apps/block-ingestor-evm': 'binds a family',
  'apps/block-ingestor-bitcoin': 'binds a family',
  'apps/block-ingestor-solana': 'binds a family',
  'apps/block-ingestor-tron': 'binds a family',
  'libs/testing': 'nodes of the families',
  'libs/testing-stack': 'a network for specs',
  'libs/caip': 'examples in errors',
  'libs/events': 'examples in documents',
  'libs/api-key': 'permissions by family',
  'apps/api-gateway': 'routes and documents by family',
};
const root = fileURLToPath(new URL('../../../', import.meta.url));
const NAMES =
  /(?<![a-z])(?:evm|bitcoin|solana|tron|ethereum|eip155|bip122|erc20|trc20)(?![a-z])|(?:Evm|Bitcoin|Solana|Tron|Ethereum)(?![a-z])/;

const packages = ['apps', 'libs']
  .flatMap((folder) => readdirSync(root + folder).map((name) => `${folder}/${name}`))
  .filter((folder) => existsSync(`${root}${folder}/src`));

function listSources(folder: string): string[] {
  return readdirSync(`${root}${folder}/src`, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/(^|\/)(spec-|generated\/)|\.spec\.ts$/.test(file),
  );
}

/** Examples in comments may name whatever makes them clear. */
function readCode(path: string): string {
  return readFileSync(root + path, 'utf8').replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
}

function findNaming(folder: string): string[] {
  return listSources(folder).filter((file) => NAMES.test(readCode(`${folder}/src/${file}`)));
}

it.each(packages.filter((folder) => !(folder in MAY_NAME)))('%s names no chain family', (folder) => {
  expect(listSources(folder)).not.toEqual([]);
  expect(findNaming(folder)).toEqual([]);
});

it.each(Object.keys(MAY_NAME))('%s names one, or may not be listed here', (folder) => {
  expect(findNaming(folder)).not.toEqual([]);
});
