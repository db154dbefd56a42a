import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** What every chain goes through; a family is a folder in libs, an app that binds it, and a line of the registry. */
const SHARED = [
  'libs/ingestor',
  'libs/watch-set',
  'libs/deliveries',
  'apps/tx-analyzer',
  'apps/balance-service',
  'apps/notifier',
];
const root = fileURLToPath(new URL('../../../', import.meta.url));
const NAMES =
  /(?<![a-z])(?:evm|bitcoin|solana|tron|ethereum|eip155|bip122|erc20|trc20)(?![a-z])|(?:Evm|Bitcoin|Solana|Tron|Ethereum)(?![a-z])/;

function listSources(folder: string): string[] {
  return readdirSync(`${root}${folder}/src`, { recursive: true, encoding: 'utf8' }).filter(
    (file) => file.endsWith('.ts') && !/(^|\/)spec-|\.spec\.ts$/.test(file),
  );
}

/** Examples in comments may name whatever makes them clear. */
function readCode(path: string): string {
  return readFileSync(root + path, 'utf8').replace(/\/\*[^]*?\*\/|(?<=^|\s)\/\/.*$/gm, '');
}

it.each(SHARED)('%s names no chain family', (folder) => {
  const sources = listSources(folder);
  expect(sources).not.toEqual([]);
  expect(sources.filter((file) => NAMES.test(readCode(`${folder}/src/${file}`)))).toEqual([]);
});
