// SPDX-License-Identifier: Apache-2.0
import type { RpcMethods } from '@chainwatch/chain-core';

/** JSON-RPC of java-tron, and its HTTP API whose paths (`wallet/getnowblock`) are the methods. */
export const TRON_METHODS: RpcMethods = {
  // These take private keys.
  locked:
    /^(eth_sign|eth_sendTransaction$|(admin|personal|miner)_|wallet\/(gettransactionsign|addtransactionsign|easytransfer\w*|createaddress|generateaddress|monitor.*)$|monitor\/)/,
  send: /^(?!)$/,
  once: /^(eth_sendRawTransaction|buildTransaction|wallet\/(broadcast\w*|create\w+|transfer\w*|participate\w*|freeze\w*|unfreeze\w*|cancel\w*|withdraw\w*|delegate\w*|undelegate\w*|update\w*|vote\w*|proposal\w*|exchange\w*|deploy\w*|clearabi|setaccountid|accountpermissionupdate|trigger(smart)contract|marketsellasset|marketcancelorder|clearcontractabi|modify\w*|set\w+))$/,
  filter: /^eth_(new\w*Filter|getFilter(Changes|Logs)|uninstallFilter)$/,
  read: /^(eth_(get|call|estimate|gasPrice|chainId|block|syncing|protocolVersion|accounts|coinbase)\w*|net_(version|listening|peerCount)|web3_(clientVersion|sha3)|wallet(solidity|pbft)?\/(get\w+|list\w+|triggerconstantcontract|estimateenergy|validateaddress|scan\w+|isspend|total\w+|marketorder\w*))$/,
};
