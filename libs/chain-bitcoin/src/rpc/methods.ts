// SPDX-License-Identifier: Apache-2.0
// cspell:ignore esbylabel
import type { RpcMethods } from '@chainwatch/chain-core';

// https://developer.bitcoin.org/reference/rpc/: what holds keys or rules the node, then what passes. No name of
// theirs has capitals: signatureSubscribe is Solana's.
export const BITCOIN_METHODS: RpcMethods = {
  locked:
    /^(?=[a-z0-9]+$)(stop|addnode|disconnectnode|setban|listbanned|clearbanned|setnetworkactive|invalidateblock|reconsiderblock|preciousblock|pruneblockchain|generate|logging|savemempool|importmempool|setmocktime|mockscheduler|prioritisetransaction|loadtxoutset|dumptxoutset|addconnection|addpeeraddress|sendmsgtopeer|syncwithvalidationinterfacequeue|echo|send(toaddress|many|all|from)?$|psbtbumpfee|bumpfee|(create|load|unload|upgrade|migrate|encrypt|backup|restore|list)wallet|wallet|dump|import|sign|getnew|getrawchange|getaddress(info|esbylabel)$|get(un)?confirmedbalance|getbalances?$|getwallet|getreceived|gettransaction$|listunspent|listtransactions|listsinceblock|listreceived|listlabels|listlockunspent|listaddressgroupings|listdescriptors|lockunspent|abandontransaction|removeprunedfunds|rescan|abortrescan|keypoolrefill|newkeypool|sethdseed|sethd|settxfee|setlabel|setwalletflag|addmultisigaddress|fundrawtransaction|simulaterawtransaction|enumeratesigners|createwalletdescriptor|gethdkeys)/,
  send: /^(sendrawtransaction|submitpackage)$/,
  once: /^submit(block|header)$/,
  read: /^(get[a-z0-9]+|decode[a-z]+|verify[a-z]+|validateaddress|estimate[a-z]+|testmempoolaccept|scan(txoutset|blocks)|uptime|help|create(rawtransaction|psbt|multisig)|combine[a-z]+|finalizepsbt|analyzepsbt|converttopsbt|utxoupdatepsbt|joinpsbts|deriveaddresses|descriptorprocesspsbt|waitfor[a-z]+|ping)$/,
};
