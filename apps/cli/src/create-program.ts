// SPDX-License-Identifier: Apache-2.0
import { Command } from 'commander';
import { addAddresses } from './commands/addresses.ts';
import { addBalances } from './commands/balances.ts';
import { addBenchNode } from './commands/bench-node.ts';
import { addCertify } from './commands/certify.ts';
import { addChains } from './commands/chains.ts';
import { addChannels } from './commands/channels.ts';
import { addCompletion } from './commands/completion.ts';
import { addDeliveries } from './commands/deliveries.ts';
import { addDoctor } from './commands/doctor.ts';
import { addEvents } from './commands/events.ts';
import { addIncidents } from './commands/incidents.ts';
import { addKeys } from './commands/keys.ts';
import { addListen } from './commands/listen.ts';
import { addLogin } from './commands/login.ts';
import { addNats } from './commands/nats.ts';
import { addNetworks } from './commands/networks.ts';
import { addPolicies } from './commands/policies.ts';
import { addPublicKeys } from './commands/public-keys.ts';
import { addStatement } from './commands/statement.ts';
import { addReconcile } from './commands/reconcile.ts';
import { addTokens } from './commands/tokens.ts';
import { addTransactions } from './commands/transactions.ts';
import { addTrigger } from './commands/trigger.ts';
import { addVerify } from './commands/verify.ts';
import { addWorkspace } from './commands/workspace.ts';
import { createAct, type Surroundings } from './context.ts';
import { parseText } from './parse-options.ts';
import packageJson from '../package.json' with { type: 'json' };

export function createProgram(surroundings: Surroundings): Command {
  const program = new Command('chainwatch')
    .description('chainwatch from the terminal')
    .version(packageJson.version, '--version', 'the version of this command')
    .option('--json', 'results as JSON, one a line; an error as JSON on stderr')
    .option('--profile <name>', 'whose key to use; else CHAINWATCH_PROFILE', parseText)
    .exitOverride()
    // run-cli.ts prints the error as JSON.
    .configureOutput(surroundings.isJson ? { writeErr: () => undefined, outputError: () => undefined } : {})
    .showHelpAfterError('(--help says more)')
    .addHelpText(
      'after',
      `
Keys come from CHAINWATCH_API_KEY, a file named by CHAINWATCH_API_KEY_FILE, a profile (chainwatch login), else from the
local stack that npm start made; never from the command line.

Exit codes: 0 done · 1 the API refused or did not answer · 2 wrong usage · 3 no key · 4 looked at, and not right

Examples:
  chainwatch listen --forward-to http://localhost:3000/hook
  chainwatch trigger transaction.detected
  chainwatch doctor`,
    );
  const act = createAct(surroundings);
  for (const add of [
    addLogin,
    addListen,
    addTrigger,
    addVerify,
    addCertify,
    addEvents,
    addChannels,
    addDeliveries,
    addTransactions,
    addAddresses,
    addPublicKeys,
    addTokens,
    addBalances,
    addReconcile,
    addChains,
    addNetworks,
    addPolicies,
    addIncidents,
    addStatement,
    addWorkspace,
    addKeys,
    addNats,
    addDoctor,
    addBenchNode,
    addCompletion,
  ])
    add(program, act);
  return program;
}
