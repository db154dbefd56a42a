/** `npm run nats:accounts -- [--directory nats-accounts] <project id> …` */
import { parseArgs } from 'node:util';
import { ProjectIdError, writeAccounts } from './write-accounts.ts';

const { values, positionals } = parseArgs({
  options: { directory: { type: 'string', default: 'nats-accounts' } },
  allowPositionals: true,
});
try {
  const projects = writeAccounts(values.directory, positionals);
  process.stdout.write(
    `Wrote ${values.directory}/accounts.conf with an account for the services and ${projects.length} for projects.\n`,
  );
} catch (error) {
  if (!(error instanceof ProjectIdError)) throw error;
  process.stderr.write(`${error.message}\n`);
  process.exitCode = 2;
}
