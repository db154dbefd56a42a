// SPDX-License-Identifier: Apache-2.0
import type { RpcMethods } from '@chainwatch/chain-core';

export const EVM_METHODS: RpcMethods = {
  locked:
    /^(admin_|personal_|miner_|clique_|engine_|les_|wallet_|debug_(set|write|start|stop|chaindb|free|verbosity|vmodule|backtrace|goTrace|mutex|block(Profile)|cpuProfile|memStats|gcStats|stacks)|eth_sign|eth_sendTransaction$|eth_submit)/,
  send: /^eth_sendRawTransaction$/,
  once: /^(eth_send|anvil_|hardhat_|evm_|tenderly_|eth_resend|mev_|flashbots_)/,
  filter: /^eth_(new\w*Filter|getFilter(Changes|Logs)|uninstallFilter)$/,
  read: /^(eth_(subscribe|unsubscribe|get|call|estimate|fee|gasPrice|max|chainId|block|syncing|blob|base|createAccessList|protocolVersion|accounts|coinbase|mining|hashrate|simulate|config|capabilities|pendingTransactions)|net_(version|listening|peerCount)|web3_(clientVersion|sha3)|rpc_modules|trace_|txpool_|debug_(trace|getRaw|getBad|getModified|storageRangeAt|accountRange|dumpBlock|executionWitness)|erigon_(get|block)|ots_|bor_(get|root)|zks_|arbtrace_|linea_|parity_(get|list|next))\w*$/,
};
