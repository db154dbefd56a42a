/** `npm run test:soak -- --scripts 1000`: the oracle of every family over that many random histories; SOAK_SEED=n begins at another one. */
const args = process.argv.slice(2);
const at = args.indexOf('--scripts');
const [scripts] = at === -1 ? [] : args.splice(at, 2).slice(1);
if (at !== -1 && !/^[1-9]\d*$/.test(scripts ?? '')) {
  console.error('--scripts wants a number from 1 on, such as: npm run test:soak -- --scripts 1000');
  process.exit(1);
}
process.env.SOAK_SCRIPTS = scripts ?? '1000';
process.argv.splice(
  2,
  process.argv.length,
  ...(args.length > 0 ? args : ['tools/acceptance/src/.*/oracle\\.spec\\.ts$']),
);
await import('./run.mjs');
