/** Written by tools/sdk from the OpenAPI document. Change the routes, not this file. */
export interface paths {
    "/version": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Version of the service
         * @description Any valid key may ask.
         */
        get: operations["getVersion"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/session": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who asks, with a session or a key, and on which projects it may act
         * @description Any valid key may ask.
         */
        get: operations["getSession"];
        put?: never;
        /**
         * Sign a browser in with the key of the request: the answer sets the cookie, for 12 hours
         * @description Any valid key may ask.
         */
        post: operations["createSession"];
        /**
         * Sign out: the session ends, and the answer removes the cookie
         * @description Any valid key may ask.
         */
        delete: operations["deleteSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/search": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What an address, hash, id or label belongs to, among what the key may read
         * @description Any valid key may ask.
         */
        get: operations["search"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/stats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Figures of the project for an overview
         * @description Needs the permission `api:event:read`.
         */
        get: operations["getStats"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/networks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Every network that this service can follow
         * @description Any valid key may ask.
         */
        get: operations["listNetworks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/networks/{chain_gid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One network
         * @description Any valid key may ask.
         */
        get: operations["getNetwork"];
        /**
         * Say what a network is, beside those of the release or in place of one
         * @description Needs the permission `api:blockchain:write`.
         */
        put: operations["putNetwork"];
        post?: never;
        /**
         * Forget what was said of a network: it is what the release says, or is not known
         * @description Needs the permission `api:blockchain:write`.
         */
        delete: operations["deleteNetwork"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blockchains": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Blockchains of this service
         * @description Needs the permission `api:blockchain:read`.
         */
        get: operations["listBlockchains"];
        put?: never;
        /**
         * Add the blockchain of a known network
         * @description Needs the permission `api:blockchain:write`.
         */
        post: operations["createBlockchain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blockchains/{chain_gid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One blockchain, and its upgrades
         * @description Needs the permission `api:blockchain:read`.
         */
        get: operations["getBlockchain"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blockchains/{chain_gid}/actions/activate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Start to monitor a blockchain
         * @description Needs the permission `api:blockchain:write`.
         */
        post: operations["activateBlockchain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blockchains/{chain_gid}/actions/deactivate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stop to monitor a blockchain
         * @description Needs the permission `api:blockchain:write`.
         */
        post: operations["deactivateBlockchain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blockchains/{chain_gid}/actions/reprocess": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Decode blocks again with the release of today, tell what it finds in addition, and try again what is set aside
         * @description Needs the permission `api:blockchain:write`.
         */
        post: operations["reprocessBlocks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blockchains/{chain_gid}/actions/reset": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Give up blocks of a blockchain as if they were orphaned, and follow what its node says now
         * @description Needs the permission `api:blockchain:write`.
         */
        post: operations["resetBlockchain"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blockchains/{chain_gid}/actions/skip": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Go on without the bodies of blocks that no node of a blockchain has
         * @description Needs the permission `api:blockchain:write`.
         */
        post: operations["skipBlocks"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blockchains/{chain_gid}/nodes": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * How the nodes are that a blockchain is read from, as the block ingestor found them
         * @description Needs the permission `api:blockchain:write`.
         */
        get: operations["listNodes"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blockchains/{chain_gid}/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What this release does not know in the blocks of a chain, and what it set aside
         * @description Needs the permission `api:blockchain:read`.
         */
        get: operations["listIncidents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/incidents": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What of the project was set aside, so that the rest goes on
         * @description Needs the permission `api:event:read`.
         */
        get: operations["listOwnIncidents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blockchains/{chain_gid}/incidents/{incident_id}/actions/accept": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Stand for what was told of the blocks of an incident, as it is; later blocks with the same kind open another one
         * @description Needs the permission `api:blockchain:write`.
         */
        post: operations["acceptIncident"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blockchains/{chain_gid}/evm": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set the node and the settings of a blockchain of the family evm
         * @description Needs the permission `api:blockchain:write`.
         */
        patch: operations["updateEvmEndpoint"];
        trace?: never;
    };
    "/blockchains/{chain_gid}/bitcoin": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set the node and the settings of a blockchain of the family bitcoin
         * @description Needs the permission `api:blockchain:write`.
         */
        patch: operations["updateBitcoinEndpoint"];
        trace?: never;
    };
    "/blockchains/{chain_gid}/solana": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set the node and the settings of a blockchain of the family solana
         * @description Needs the permission `api:blockchain:write`.
         */
        patch: operations["updateSolanaEndpoint"];
        trace?: never;
    };
    "/blockchains/{chain_gid}/tron": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Set the node and the settings of a blockchain of the family tron
         * @description Needs the permission `api:blockchain:write`.
         */
        patch: operations["updateTronEndpoint"];
        trace?: never;
    };
    "/blocks": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Blocks with their processing statuses
         * @description Needs the permission `api:block:read`.
         */
        get: operations["listBlocks"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/blocks/{chain_gid}/{block_number}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The block at a height: the canonical one, else the orphan seen last
         * @description Needs the permission `api:block:read`.
         */
        get: operations["getBlock"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Native coins, and what the project created or discovered on its addresses; archived ones only with is_archived=true
         * @description Needs the permission `api:asset:read`.
         */
        get: operations["listAssets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{chain_gid}/{asset_path}/actions/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Leave an asset out of the project's listings and balances
         * @description Needs the permission `api:asset:write`.
         */
        post: operations["archiveAsset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/assets/{chain_gid}/{asset_path}/actions/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * List an archived asset of the project as active again
         * @description Needs the permission `api:asset:write`.
         */
        post: operations["restoreAsset"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Native coins and the project's tokens; archived ones and contracts that are no token are left out
         * @description Needs the permission `api:token:read`.
         */
        get: operations["listTokens"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{chain_gid}/{asset_path}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One token of the project's list
         * @description Needs the permission `api:token:read`.
         */
        get: operations["getToken"];
        put?: never;
        /**
         * Add a token to the project's list; its name, symbol and decimals are read from the chain
         * @description Needs the permission `api:token:write`.
         */
        post: operations["createToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/tokens/{chain_gid}/{asset_path}/actions/refresh": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read a token of the project's list again from its chain; corrects decimals, and with them balances, lists, and events still to come
         * @description Needs the permission `api:token:write`.
         */
        post: operations["refreshToken"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public_keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Extended public keys of the project
         * @description Needs the permission `api:public_key:read`.
         */
        get: operations["listPublicKeys"];
        put?: never;
        /**
         * Add the extended public key of an account
         * @description Needs the permission `api:public_key:write`.
         */
        post: operations["createPublicKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public_keys/{public_key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One extended public key
         * @description Needs the permission `api:public_key:read`.
         */
        get: operations["getPublicKey"];
        put?: never;
        post?: never;
        /**
         * Delete a public key for good; with `cascade` its addresses too
         * @description Needs the permission `api:public_key:write`.
         */
        delete: operations["deletePublicKey"];
        options?: never;
        head?: never;
        /**
         * Change a public key's label
         * @description Needs the permission `api:public_key:write`.
         */
        patch: operations["updatePublicKey"];
        trace?: never;
    };
    "/public_keys/{public_key_id}/addresses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * HD addresses derived from a public key, by index unless asked otherwise
         * @description Needs the permission `api:address:read`.
         */
        get: operations["listPublicKeyAddresses"];
        put?: never;
        /**
         * Generate HD addresses by a list of indexes, by a range, or the next one
         * @description Needs the permission `api:address:write`.
         */
        post: operations["createPublicKeyAddresses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/public_keys/{public_key_id}/addresses/next": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Generate the HD address at the highest existing index plus one
         * @description Needs the permission `api:address:write`.
         */
        post: operations["createNextAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/addresses": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Addresses of the project, HD and external
         * @description Needs the permission `api:address:read`.
         */
        get: operations["listAddresses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change labels, metadata, groups or monitoring of up to 1,000 addresses
         * @description Needs the permission `api:address:write`.
         */
        patch: operations["updateManyAddresses"];
        trace?: never;
    };
    "/addresses/hd": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * HD addresses of all public keys of the project
         * @description Needs the permission `api:address:read`.
         */
        get: operations["listHdAddresses"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/addresses/external": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import an address and monitor it from now on
         * @description Needs the permission `api:address:write`.
         */
        post: operations["createExternalAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/addresses/external/batch": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Import up to 10,000 addresses and monitor them from now on; entries fail and succeed one by one
         * @description Needs the permission `api:address:write`.
         */
        post: operations["importAddresses"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/addresses/balances/query": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Balances of up to 1,000 addresses
         * @description Needs the permission `api:address:read`.
         */
        post: operations["queryBalances"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/addresses/{address}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One address
         * @description Needs the permission `api:address:read`.
         */
        get: operations["getAddress"];
        put?: never;
        post?: never;
        /**
         * Delete an address for good
         * @description Needs the permission `api:address:write`.
         */
        delete: operations["deleteAddress"];
        options?: never;
        head?: never;
        /**
         * Change an address's label, metadata, groups or monitoring
         * @description Needs the permission `api:address:write`.
         */
        patch: operations["updateAddress"];
        trace?: never;
    };
    "/addresses/{address}/actions/backfill": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Read what an address did before it was monitored
         * @description Needs the permission `api:address:write`.
         */
        post: operations["backfillAddress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/addresses/{address}/hd": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The HD representation of a derived address
         * @description Needs the permission `api:address:read`.
         */
        get: operations["getHdAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/addresses/{address}/external": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The external representation of an imported address
         * @description Needs the permission `api:address:read`.
         */
        get: operations["getExternalAddress"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/addresses/{address}/balances": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Balances by CAIP-19 asset: active assets discovered on the address, but for those that the project archived
         * @description Needs the permission `api:address:read`.
         */
        get: operations["getBalances"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/addresses/{address}/balances/details": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Balances of an address by asset, told apart by how certain they are
         * @description Needs the permission `api:address:read`.
         */
        get: operations["getBalanceDetails"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/addresses/{address}/balances/history": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Balances of an address as the chain stated them, from the block on from which it is watched: wherever one changed, and now and then where none did
         * @description Needs the permission `api:address:read`.
         */
        get: operations["listBalanceHistory"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/addresses/{address}/adjustments": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What changed balances of an address and no transaction explains
         * @description Needs the permission `api:address:read`.
         */
        get: operations["listAdjustments"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/addresses/{address}/utxos": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Unspent outputs of an address, as of the last block that was analysed; none on chains of accounts
         * @description Needs the permission `api:address:read`.
         */
        get: operations["listUtxos"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Transactions of monitored addresses of the project
         * @description Needs the permission `api:transaction:read`.
         */
        get: operations["listTransactions"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions/{transaction_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One transaction of the project, by its `id`
         * @description Needs the permission `api:transaction:read`.
         */
        get: operations["getTransaction"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions/{chain_gid}/{hash}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One transaction of the project, by its chain and its hash
         * @description Needs the permission `api:transaction:read`.
         */
        get: operations["getTransactionByHash"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/transactions/{chain_gid}/{hash}/proof": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What shows that the transaction is in its block, without trust in this service
         * @description Needs the permission `api:transaction:read`.
         */
        get: operations["getTransactionProof"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/confirmation_policies": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Confirmation policies of the project; other chains follow their own rule
         * @description Needs the permission `api:confirmation_policy:read`.
         */
        get: operations["listConfirmationPolicies"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/confirmation_policies/{chain_gid}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The project's confirmation policy of a chain
         * @description Needs the permission `api:confirmation_policy:read`.
         */
        get: operations["getConfirmationPolicy"];
        /**
         * Say when transactions of the project that are detected from now on are confirmed on a chain
         * @description Needs the permission `api:confirmation_policy:write`.
         */
        put: operations["setConfirmationPolicy"];
        post?: never;
        /**
         * Let the chain decide again for transactions that are detected from now on
         * @description Needs the permission `api:confirmation_policy:write`.
         */
        delete: operations["deleteConfirmationPolicy"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events of the project, as they were sent; kept for 30 days unless configured otherwise
         * @description Needs the permission `api:event:read`.
         */
        get: operations["listEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/stream": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Events of the project as server-sent events, each as soon as it has its position
         * @description Needs the permission `api:event:read`.
         */
        get: operations["streamEvents"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{event_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One event, as it was sent
         * @description Needs the permission `api:event:read`. A portal session may ask, about its own channels.
         */
        get: operations["getEvent"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/events/{event_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deliveries of an event through all channels
         * @description Needs the permission `api:delivery:read`.
         */
        get: operations["listEventDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Notification channels of the project
         * @description Needs the permission `api:notification_channel:read`. A portal session may ask, about its own channels.
         */
        get: operations["listChannels"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/webhook": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a webhook channel; the answer shows its signing secret this once
         * @description Needs the permission `api:notification_channel:write`.
         */
        post: operations["createWebhookChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/webhook/{notification_channel_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a webhook channel; a new URL makes a failed channel active again
         * @description Needs the permission `api:notification_channel:write`.
         */
        patch: operations["updateWebhookChannel"];
        trace?: never;
    };
    "/notification_channels/discord": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a channel that writes to Discord through a webhook of yours
         * @description Needs the permission `api:notification_channel:write`.
         */
        post: operations["createDiscordChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/discord/{notification_channel_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a Discord channel; a new URL makes a failed channel active again
         * @description Needs the permission `api:notification_channel:write`.
         */
        patch: operations["updateDiscordChannel"];
        trace?: never;
    };
    "/notification_channels/email": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a channel that sends mails; each recipient is asked first, and events are held until then
         * @description Needs the permission `api:notification_channel:write`.
         */
        post: operations["createEmailChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/email/{notification_channel_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change an e-mail channel; recipients that are new, or have not confirmed, are asked
         * @description Needs the permission `api:notification_channel:write`.
         */
        patch: operations["updateEmailChannel"];
        trace?: never;
    };
    "/notification_channels/nats": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a channel that publishes to a NATS server of yours
         * @description Needs the permission `api:notification_channel:write`.
         */
        post: operations["createNatsChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/nats/{notification_channel_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a NATS channel; a new URL or subject makes a failed channel active again
         * @description Needs the permission `api:notification_channel:write`.
         */
        patch: operations["updateNatsChannel"];
        trace?: never;
    };
    "/notification_channels/slack": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a channel that writes to Slack through an incoming webhook of yours
         * @description Needs the permission `api:notification_channel:write`.
         */
        post: operations["createSlackChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/slack/{notification_channel_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a Slack channel; a new URL makes a failed channel active again
         * @description Needs the permission `api:notification_channel:write`.
         */
        patch: operations["updateSlackChannel"];
        trace?: never;
    };
    "/notification_channels/telegram": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Create a channel that writes to a Telegram chat through a bot of yours
         * @description Needs the permission `api:notification_channel:write`.
         */
        post: operations["createTelegramChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/telegram/{notification_channel_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Change a Telegram channel; another bot or chat makes a failed channel active again
         * @description Needs the permission `api:notification_channel:write`.
         */
        patch: operations["updateTelegramChannel"];
        trace?: never;
    };
    "/notification_channels/{notification_channel_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One notification channel
         * @description Needs the permission `api:notification_channel:read`. A portal session may ask, about its own channels.
         */
        get: operations["getChannel"];
        put?: never;
        post?: never;
        /**
         * Delete a notification channel with its deliveries
         * @description Needs the permission `api:notification_channel:write`.
         */
        delete: operations["deleteChannel"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/{notification_channel_id}/actions/archive": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Disable a notification channel and keep its configuration
         * @description Needs the permission `api:notification_channel:write`.
         */
        post: operations["archiveChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/{notification_channel_id}/actions/restore": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make an archived or failed channel active again; held events are delivered, or discarded with held=discard
         * @description Needs the permission `api:notification_channel:write`.
         */
        post: operations["restoreChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/{notification_channel_id}/deliveries": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Deliveries of a channel
         * @description Needs the permission `api:delivery:read`. A portal session may ask, about its own channels.
         */
        get: operations["listDeliveries"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/{notification_channel_id}/deliveries/{delivery_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One delivery with its attempts
         * @description Needs the permission `api:delivery:read`. A portal session may ask, about its own channels.
         */
        get: operations["getDelivery"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/{notification_channel_id}/actions/test": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send a test message through the channel, whatever its status; a success makes a failed channel active again
         * @description Needs the permission `api:notification_channel:write`. A portal session may ask, about its own channels.
         */
        post: operations["testChannel"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/{notification_channel_id}/deliveries/{delivery_id}/actions/redeliver": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send an event again, with the same event id and a new delivery id; it waits while its channel is failed or archived
         * @description Needs the permission `api:delivery:replay`. A portal session may ask, about its own channels.
         */
        post: operations["redeliver"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/{notification_channel_id}/deliveries/actions/recover": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Send again, in event order, what failed or was discarded since a time
         * @description Needs the permission `api:delivery:replay`. A portal session may ask, about its own channels.
         */
        post: operations["recover"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/{notification_channel_id}/webhook-secrets": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Masks and times of the signing secrets of a webhook channel
         * @description Needs the permission `api:webhook_secret:read`.
         */
        get: operations["getWebhookSecrets"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/{notification_channel_id}/webhook-secrets/actions/rotate": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Make a new signing secret; for 24 hours deliveries are signed with the old one too
         * @description Needs the permission `api:webhook_secret:rotate`.
         */
        post: operations["rotateWebhookSecret"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/notification_channels/{notification_channel_id}/webhook-secrets/previous": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * End the overlap of a rotation: from now on only the new secret signs
         * @description Needs the permission `api:webhook_secret:rotate`.
         */
        delete: operations["deletePreviousSecret"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal_sessions": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Portal sessions of the project that have not ended
         * @description Needs the permission `api:notification_channel:read`.
         */
        get: operations["listPortalSessions"];
        put?: never;
        /**
         * Open a page on some channels' deliveries for a customer of yours, to be framed in yours; its address is in this answer only
         * @description Needs the permission `api:notification_channel:write`.
         */
        post: operations["createPortalSession"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/portal_sessions/{portal_session_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One portal session that has not ended, without its token
         * @description Needs the permission `api:notification_channel:read`. A portal session may ask, about its own channels.
         */
        get: operations["getPortalSession"];
        put?: never;
        post?: never;
        /**
         * End a portal session at once
         * @description Needs the permission `api:notification_channel:write`.
         */
        delete: operations["deletePortalSession"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/management/workspace": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * The workspace of the key
         * @description Needs the permission `mgt:workspace:read`.
         */
        get: operations["getWorkspace"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        /**
         * Rename the workspace
         * @description Needs the permission `mgt:workspace:write`.
         */
        patch: operations["updateWorkspace"];
        trace?: never;
    };
    "/management/workspaces/{workspace_id}/quotas": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What a workspace may have, and what it has; for the operator's keys
         * @description Needs the permission `mgt:quota:read`.
         */
        get: operations["getQuotas"];
        /**
         * Set what a workspace may have, by the operator's keys; what is `null` or not named gets its default. What it has already stays
         * @description Needs the permission `mgt:quota:write`.
         */
        put: operations["updateQuotas"];
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/management/projects": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Projects of the workspace
         * @description Needs the permission `mgt:project:read`.
         */
        get: operations["listProjects"];
        put?: never;
        /**
         * Add a project to the workspace
         * @description Needs the permission `mgt:project:write`.
         */
        post: operations["createProject"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/management/projects/{project_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One project
         * @description Needs the permission `mgt:project:read`.
         */
        get: operations["getProject"];
        put?: never;
        post?: never;
        /**
         * Delete a project for good with its keys and history; with `cascade` its addresses, public keys and channels too
         * @description Needs the permission `mgt:project:write`.
         */
        delete: operations["deleteProject"];
        options?: never;
        head?: never;
        /**
         * Rename a project
         * @description Needs the permission `mgt:project:write`.
         */
        patch: operations["updateProject"];
        trace?: never;
    };
    "/management/members": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Members of the workspace
         * @description Needs the permission `mgt:member:read`.
         */
        get: operations["listMembers"];
        put?: never;
        /**
         * Add a member to the workspace
         * @description Needs the permission `mgt:member:write`.
         */
        post: operations["createMember"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/management/members/{member_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        post?: never;
        /**
         * Remove a member from the workspace; the last owner stays
         * @description Needs the permission `mgt:member:write`.
         */
        delete: operations["deleteMember"];
        options?: never;
        head?: never;
        /**
         * Change a member's email address or role; the last owner stays one
         * @description Needs the permission `mgt:member:write`.
         */
        patch: operations["updateMember"];
        trace?: never;
    };
    "/management/keys": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Keys of the workspace and its projects, revoked ones included
         * @description Needs the permission `mgt:key:read`.
         */
        get: operations["listKeys"];
        put?: never;
        /**
         * Make a key; its text is in this answer only
         * @description Needs the permission `mgt:key:write`.
         */
        post: operations["createKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/management/keys/{key_id}": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * One key, without its text
         * @description Needs the permission `mgt:key:read`.
         */
        get: operations["getKey"];
        put?: never;
        post?: never;
        /**
         * Revoke a key, at once and for good; it stays in the list
         * @description Needs the permission `mgt:key:write`.
         */
        delete: operations["revokeKey"];
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/management/keys/{key_id}/actions/roll": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Put a new key with the same permissions in the place of one, which ends after the grace
         * @description Needs the permission `mgt:key:write`.
         */
        post: operations["rollKey"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/management/audit_logs": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * Who changed what in the workspace
         * @description Needs the permission `mgt:audit:read`.
         */
        get: operations["listAuditLogs"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "/management/usage": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        /**
         * What the RPC keys of the workspace called, by the hour
         * @description Needs the permission `mgt:key:read`.
         */
        get: operations["listUsage"];
        put?: never;
        post?: never;
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface webhooks {
    "transaction.detected": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A transaction that touches a monitored address was detected
         * @description POSTed to the URL of every webhook channel that asks for the event, at least once. The signature covers the timestamp `t`, a dot and the raw body, keyed with the whole secret of the channel; during a rotation the header holds two `v1=`, of which one must fit. Drop what is older than 300 seconds, and `event_id`s seen before.
         */
        post: operations["onTransactionDetected"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transaction.progress": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Such a transaction has more confirmations
         * @description POSTed to the URL of every webhook channel that asks for the event, at least once. The signature covers the timestamp `t`, a dot and the raw body, keyed with the whole secret of the channel; during a rotation the header holds two `v1=`, of which one must fit. Drop what is older than 300 seconds, and `event_id`s seen before.
         */
        post: operations["onTransactionProgress"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transaction.confirmed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Such a transaction was confirmed
         * @description POSTed to the URL of every webhook channel that asks for the event, at least once. The signature covers the timestamp `t`, a dot and the raw body, keyed with the whole secret of the channel; during a rotation the header holds two `v1=`, of which one must fit. Drop what is older than 300 seconds, and `event_id`s seen before.
         */
        post: operations["onTransactionConfirmed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transaction.reorged": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * Such a transaction was reorganised out of the chain
         * @description POSTed to the URL of every webhook channel that asks for the event, at least once. The signature covers the timestamp `t`, a dot and the raw body, keyed with the whole secret of the channel; during a rotation the header holds two `v1=`, of which one must fit. Drop what is older than 300 seconds, and `event_id`s seen before.
         */
        post: operations["onTransactionReorged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "transaction.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A transaction of a monitored address failed
         * @description POSTed to the URL of every webhook channel that asks for the event, at least once. The signature covers the timestamp `t`, a dot and the raw body, keyed with the whole secret of the channel; during a rotation the header holds two `v1=`, of which one must fit. Drop what is older than 300 seconds, and `event_id`s seen before.
         */
        post: operations["onTransactionFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "balance.changed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A monitored address has a new balance
         * @description POSTed to the URL of every webhook channel that asks for the event, at least once. The signature covers the timestamp `t`, a dot and the raw body, keyed with the whole secret of the channel; during a rotation the header holds two `v1=`, of which one must fit. Drop what is older than 300 seconds, and `event_id`s seen before.
         */
        post: operations["onBalanceChanged"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
    "channel.failed": {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        get?: never;
        put?: never;
        /**
         * A notification channel of the project failed
         * @description POSTed to the URL of every webhook channel that asks for the event, at least once. The signature covers the timestamp `t`, a dot and the raw body, keyed with the whole secret of the channel; during a rotation the header holds two `v1=`, of which one must fit. Drop what is older than 300 seconds, and `event_id`s seen before.
         */
        post: operations["onChannelFailed"];
        delete?: never;
        options?: never;
        head?: never;
        patch?: never;
        trace?: never;
    };
}
export interface components {
    schemas: {
        Problem: {
            /**
             * @description URI that names the kind of problem; look at it instead of at the texts.
             * @example https://docs.example.com/apis/problems/invalid-request
             */
            type: string;
            /**
             * @description The kind of problem in a few words.
             * @example Invalid Request
             */
            title: string;
            /**
             * Format: int32
             * @description The HTTP status.
             * @example 400
             */
            status: number;
            /**
             * @description What was expected and what came, for people.
             * @example limit: expected at most 100, got 500
             */
            detail?: string;
            /**
             * @description The path of the request.
             * @example /v1/addresses
             */
            instance?: string;
            /** @description Of a 400: what is wrong in which member, at most 100. */
            fields?: {
                /**
                 * @description Where it stands in the request.
                 * @example limit
                 */
                name: string;
                /**
                 * @description What was expected and what came.
                 * @example expected at most 100, got 500
                 */
                reason: string;
            }[];
            /**
             * Format: int64
             * @description Of a 410: the `after` to go on with; no event in between is kept. Where that were very many, the next 410 names a later one.
             * @example 18000
             */
            earliest_position?: number;
        };
        Version: {
            /**
             * @description Of the service.
             * @example chainwatch
             */
            name: string;
            /**
             * @description Of the software.
             * @example 0.1.0
             */
            version: string;
            /**
             * @description Of the API: the segment of its paths.
             * @constant
             */
            api_version: "v1";
            /**
             * @description The commit it was built from.
             * @example 798728f
             */
            commit: string;
            /**
             * @description When it was built; `unknown` where it runs from the sources.
             * @example 2026-01-01T00:00:00.000Z
             */
            built_at: string;
            /**
             * @description Versions of webhook signatures that deliveries carry.
             * @example [
             *       "v1"
             *     ]
             */
            signature_versions: "v1"[];
        };
        Session: {
            /** @description The key that was signed in with. Null for a member. */
            key: {
                /**
                 * Format: uuid
                 * @description Of the key.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                id: string;
                /**
                 * @description `api`: the platform API of one project; `rpc`: the RPC gateway; `mgt`: the management interface.
                 * @enum {string}
                 */
                type: "api" | "rpc" | "mgt";
                /**
                 * @description As its user calls it.
                 * @example Backend
                 */
                name: string;
                /**
                 * @description The key without its secret part.
                 * @example svc_api_****bPlI
                 */
                mask: string;
                /**
                 * @description What it may do; fixed when it is made.
                 * @example [
                 *       "api:address:read"
                 *     ]
                 */
                permissions: ("api:blockchain:read" | "api:blockchain:write" | "api:asset:read" | "api:asset:write" | "api:token:read" | "api:token:write" | "api:public_key:read" | "api:public_key:write" | "api:address:read" | "api:address:write" | "api:notification_channel:read" | "api:notification_channel:write" | "api:confirmation_policy:read" | "api:confirmation_policy:write" | "api:block:read" | "api:transaction:read" | "api:event:read" | "api:delivery:read" | "api:delivery:replay" | "api:webhook_secret:read" | "api:webhook_secret:rotate" | "rpc:evm:read" | "rpc:evm:send" | "rpc:bitcoin:read" | "rpc:bitcoin:send" | "rpc:solana:read" | "rpc:solana:send" | "rpc:tron:read" | "rpc:tron:send" | "mgt:workspace:read" | "mgt:workspace:write" | "mgt:project:read" | "mgt:project:write" | "mgt:member:read" | "mgt:member:write" | "mgt:key:read" | "mgt:key:write" | "mgt:audit:read" | "mgt:quota:read" | "mgt:quota:write")[];
                /**
                 * @description When it ends. Null: never.
                 * @example null
                 */
                expires_at: string | null;
            } | null;
            /** @description Who signed in through the installation's issuer. Null for a key. */
            member: {
                /**
                 * Format: uuid
                 * @description Of the member.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                id: string;
                /**
                 * @description Lower case.
                 * @example ada@example.com
                 */
                email: string;
                /**
                 * @description What the member is in the workspace.
                 * @enum {string}
                 */
                role: "owner" | "admin" | "developer" | "viewer";
            } | null;
            /**
             * @description What it may do without `X-Project-Id`: those of the key, or of the role in the workspace.
             * @example [
             *       "mgt:project:read"
             *     ]
             */
            permissions: ("api:blockchain:read" | "api:blockchain:write" | "api:asset:read" | "api:asset:write" | "api:token:read" | "api:token:write" | "api:public_key:read" | "api:public_key:write" | "api:address:read" | "api:address:write" | "api:notification_channel:read" | "api:notification_channel:write" | "api:confirmation_policy:read" | "api:confirmation_policy:write" | "api:block:read" | "api:transaction:read" | "api:event:read" | "api:delivery:read" | "api:delivery:replay" | "api:webhook_secret:read" | "api:webhook_secret:rotate" | "rpc:evm:read" | "rpc:evm:send" | "rpc:bitcoin:read" | "rpc:bitcoin:send" | "rpc:solana:read" | "rpc:solana:send" | "rpc:tron:read" | "rpc:tron:send" | "mgt:workspace:read" | "mgt:workspace:write" | "mgt:project:read" | "mgt:project:write" | "mgt:member:read" | "mgt:member:write" | "mgt:key:read" | "mgt:key:write" | "mgt:audit:read" | "mgt:quota:read" | "mgt:quota:write")[];
            /** @description The key's workspace, or the one in which the member acts. */
            workspace: {
                /**
                 * Format: uuid
                 * @description Of the workspace.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                id: string;
                /**
                 * @description As its users call it.
                 * @example Acme
                 */
                name: string;
                /** @description Whether its keys may change chains. */
                is_operator: boolean;
            };
            /** @description In which it may act, by name, at most 200: the key's, or all that have the person as a member. Without `X-Workspace-Id` it is the one that added the person first. */
            workspaces: {
                /**
                 * Format: uuid
                 * @description For `X-Workspace-Id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                id: string;
                /**
                 * @description As its users call it.
                 * @example Acme
                 */
                name: string;
            }[];
            /**
             * @description Families of chains that addresses can be of.
             * @example [
             *       "evm",
             *       "bitcoin"
             *     ]
             */
            chain_families: ("evm" | "bitcoin" | "solana" | "tron")[];
            /** @description On which it may act, by name, at most 200: that of an api key; those of the workspace for a member, or for a management key that may make keys. */
            projects: {
                /**
                 * Format: uuid
                 * @description For `X-Project-Id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                id: string;
                /**
                 * @description As its users call it.
                 * @example Shop
                 */
                name: string;
            }[];
            /**
             * @description The RPC gateway as browsers reach it. Null where `RPC_URL` does not name it.
             * @example https://rpc.example.com
             */
            rpc_url: string | null;
            /**
             * @description Where coins of local chains can be had. Null on everything but a local stack.
             * @example null
             */
            playground_url: string | null;
            /**
             * @description What it may do on each of them.
             * @example [
             *       "api:address:read"
             *     ]
             */
            project_permissions: ("api:blockchain:read" | "api:blockchain:write" | "api:asset:read" | "api:asset:write" | "api:token:read" | "api:token:write" | "api:public_key:read" | "api:public_key:write" | "api:address:read" | "api:address:write" | "api:notification_channel:read" | "api:notification_channel:write" | "api:confirmation_policy:read" | "api:confirmation_policy:write" | "api:block:read" | "api:transaction:read" | "api:event:read" | "api:delivery:read" | "api:delivery:replay" | "api:webhook_secret:read" | "api:webhook_secret:rotate" | "rpc:evm:read" | "rpc:evm:send" | "rpc:bitcoin:read" | "rpc:bitcoin:send" | "rpc:solana:read" | "rpc:solana:send" | "rpc:tron:read" | "rpc:tron:send" | "mgt:workspace:read" | "mgt:workspace:write" | "mgt:project:read" | "mgt:project:write" | "mgt:member:read" | "mgt:member:write" | "mgt:key:read" | "mgt:key:write" | "mgt:audit:read" | "mgt:quota:read" | "mgt:quota:write")[];
        };
        SearchHit: {
            /**
             * @description What was found; `audit_log`: a change that the request with that id made.
             * @enum {string}
             */
            type: "address" | "transaction" | "event" | "delivery" | "channel" | "audit_log";
            /**
             * Format: uuid
             * @description Of what was found.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description The address, the hash, the type of the event, the name of the channel or the action of the change.
             * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
             */
            title: string;
            /**
             * @description Of an address; the channel of a delivery; who made a change. Null otherwise.
             * @example Customer 42
             */
            label: string | null;
            /**
             * @description Of a transaction, a delivery or a channel. Null otherwise.
             * @example null
             */
            status: string | null;
            /**
             * @description The chain (CAIP-2) of a transaction or an event. Null otherwise.
             * @example eip155:1
             */
            chain_gid: string | null;
            /**
             * @description The channel of a delivery. Null otherwise.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            channel_id: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
        };
        SearchHitList: {
            /** @description At most 8 of each type, what is named exactly first. */
            items: components["schemas"]["SearchHit"][];
        };
        Stats: {
            /**
             * @description Addresses of the project. Null without `api:address:read`.
             * @example 1200
             */
            address_count: number | null;
            /** @description Transactions by status. Null without `api:transaction:read`. */
            transactions: {
                /**
                 * Format: int64
                 * @description Those that are `pending`.
                 * @example 3
                 */
                pending: number;
                /**
                 * Format: int64
                 * @description Those that are `detected`.
                 * @example 3
                 */
                detected: number;
                /**
                 * Format: int64
                 * @description Those that are `confirmed`.
                 * @example 3
                 */
                confirmed: number;
                /**
                 * Format: int64
                 * @description Those that are `reorged`.
                 * @example 3
                 */
                reorged: number;
                /**
                 * Format: int64
                 * @description Those that are `failed`.
                 * @example 3
                 */
                failed: number;
            } | null;
            /** @description Channels by status. Null without `api:notification_channel:read`. */
            channels: {
                /**
                 * Format: int64
                 * @description Those that are `active`.
                 * @example 3
                 */
                active: number;
                /**
                 * Format: int64
                 * @description Those that are `failing`.
                 * @example 3
                 */
                failing: number;
                /**
                 * Format: int64
                 * @description Those that are `failed`.
                 * @example 3
                 */
                failed: number;
                /**
                 * Format: int64
                 * @description Those that are `archived`.
                 * @example 3
                 */
                archived: number;
            } | null;
            /** @description Deliveries that are kept, by status. Null without `api:delivery:read`. */
            deliveries: {
                /**
                 * Format: int64
                 * @description Those that are `pending`.
                 * @example 3
                 */
                pending: number;
                /**
                 * Format: int64
                 * @description Those that are `held`.
                 * @example 3
                 */
                held: number;
                /**
                 * Format: int64
                 * @description Those that are `delivered`.
                 * @example 3
                 */
                delivered: number;
                /**
                 * Format: int64
                 * @description Those that are `failed`.
                 * @example 3
                 */
                failed: number;
                /**
                 * Format: int64
                 * @description Those that are `discarded`.
                 * @example 3
                 */
                discarded: number;
            } | null;
            /** @description Events of the last hour, minute by minute. */
            events: {
                /**
                 * Format: date-time
                 * @description From here on the minutes are complete: an hour ago, or later where an hour has very many events.
                 * @example 2026-01-01T00:00:00.000Z
                 */
                since: string;
                /** @description Minutes with events, oldest first. */
                minutes: {
                    /**
                     * Format: date-time
                     * @description Its beginning.
                     * @example 2026-01-01T00:00:00.000Z
                     */
                    at: string;
                    /**
                     * Format: int64
                     * @description Events made in it.
                     * @example 12
                     */
                    count: number;
                }[];
            };
        };
        Network: {
            /**
             * @description The chain as CAIP-2.
             * @example eip155:5042
             */
            gid: string;
            /**
             * @description The chain family whose code reads its blocks.
             * @example evm
             */
            family: string;
            /**
             * @description Unique name, also the name of its endpoint at the RPC gateway.
             * @example arc
             */
            name: string;
            /**
             * @description Short name for lists.
             * @example arc
             */
            short_name: string;
            /**
             * @description Name for people.
             * @example Arc
             */
            display_name: string;
            /**
             * @description More names that are accepted, each unique among all networks.
             * @default []
             * @example [
             *       "arc-mainnet"
             *     ]
             */
            aliases: string[];
            /**
             * @description Whether its coins are worth nothing.
             * @default false
             * @example false
             */
            is_testnet: boolean;
            /**
             * @description A local chain of a developer: it starts anew with its node.
             * @example false
             */
            is_local: boolean;
            /** @description The coin that pays fees. Left out: the chain has none. */
            native?: {
                /**
                 * @description The coin as CAIP-19.
                 * @example eip155:5042/slip44:60
                 */
                gid: string & (unknown & unknown);
                /**
                 * @description Its symbol.
                 * @example USDC
                 */
                symbol: string;
                /**
                 * @description Its name.
                 * @example USD Coin
                 */
                name: string;
                /**
                 * Format: int32
                 * @description Its decimals.
                 * @example 18
                 */
                decimals: number;
                /**
                 * @description More asset ids that mean this coin.
                 * @example [
                 *       "eip155:5042/slip44:5042"
                 *     ]
                 */
                aliases?: string[];
            };
            /**
             * @description The CAIP-19 namespace of its tokens.
             * @example erc20
             */
            token_namespace: string;
            /** @description When a block is final, unless a project has its own rule. */
            confirmation: {
                /**
                 * @description `tag`: the finality that the node tells; `depth`: blocks on top.
                 * @example tag
                 * @enum {string}
                 */
                type: "tag" | "depth";
                /**
                 * @description The block tag that counts as final.
                 * @example finalized
                 * @enum {string}
                 */
                tag?: "finalized" | "safe";
                /**
                 * Format: int32
                 * @description Blocks, the block itself included.
                 * @example 12
                 */
                depth: number;
            };
            /**
             * Format: int32
             * @description A first guess of the time between blocks; it is measured.
             * @example 500
             */
            block_time_ms: number;
            /**
             * Format: int64
             * @description Usual time until a later header proves a block.
             * @example 4000
             */
            evidence_delay_ms?: number;
            /**
             * @description How balances change without a transaction that tells it.
             * @example [
             *       "withdrawal",
             *       "adjustment"
             *     ]
             */
            untold_reasons?: ("withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            /**
             * @description The contract that wraps the native coin: its deposits mint and its withdrawals burn.
             * @example 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2
             */
            wrapped_native?: string;
            /** @description Old tokens whose contracts do not say what they are. */
            tokens?: {
                /**
                 * @description The contract as CAIP-19.
                 * @example eip155:1/erc20:0x06012c8cf97bead5deae237070f9587f8e7a266d
                 */
                gid: string;
                /**
                 * @description Whether its units are alike or each its own.
                 * @default token
                 * @example nft
                 * @enum {string}
                 */
                type: "token" | "nft";
                /**
                 * @description Its symbol.
                 * @example CK
                 */
                symbol: string;
                /**
                 * @description Its name.
                 * @example CryptoKitties
                 */
                name: string;
                /**
                 * Format: int32
                 * @description Its decimals.
                 * @default 0
                 * @example 0
                 */
                decimals: number;
            }[];
            /** @description URL templates of a block explorer. */
            explorer?: {
                /**
                 * @description Page of an address.
                 * @example https://explorer.example.com/address/{address}
                 */
                address?: string;
                /**
                 * @description Page of a transaction.
                 * @example https://explorer.example.com/tx/{hash}
                 */
                transaction?: string;
                /**
                 * @description Page of a block.
                 * @example https://explorer.example.com/block/{number}
                 */
                block?: string;
            };
            /**
             * @description URL of its logo.
             * @example https://chainwatch.example.com/logos/ethereum.svg
             */
            image_url: string;
            /**
             * @description What the family has to know to prove its blocks; the members are those of the family.
             * @example {
             *       "stack": "ethereum"
             *     }
             */
            traits?: {
                [key: string]: unknown;
            };
            /**
             * @description Who says so: `built_in`: this release; `file`: the `NETWORKS_FILE` of the operator, which the API does not change; `api`: `PUT /networks/{chain_gid}`.
             * @example built_in
             * @enum {string}
             */
            source: "built_in" | "file" | "api";
            /**
             * @description Whether this service has the blockchain, active or not. Its id, family, native coin and token namespace are then fixed.
             * @example true
             */
            is_used: boolean;
        };
        NetworkList: {
            /** @description Those of the release first. */
            items: components["schemas"]["Network"][];
        };
        PutNetworkInput: {
            /**
             * @description The chain as CAIP-2, as in the path.
             * @example eip155:5042
             */
            gid?: string;
            /**
             * @description The chain family whose code reads its blocks.
             * @example evm
             */
            family: string;
            /**
             * @description Unique name, also the name of its endpoint at the RPC gateway.
             * @example arc
             */
            name: string;
            /**
             * @description Short name for lists.
             * @example arc
             */
            short_name: string;
            /**
             * @description Name for people.
             * @example Arc
             */
            display_name: string;
            /**
             * @description More names that are accepted, each unique among all networks.
             * @default []
             * @example [
             *       "arc-mainnet"
             *     ]
             */
            aliases?: string[];
            /**
             * @description Whether its coins are worth nothing.
             * @default false
             * @example false
             */
            is_testnet?: boolean;
            /**
             * @description A local chain of a developer: it starts anew with its node.
             * @example false
             */
            is_local?: boolean;
            /** @description The coin that pays fees. Left out: the chain has none. */
            native?: {
                /**
                 * @description The coin as CAIP-19.
                 * @example eip155:5042/slip44:60
                 */
                gid: string & (unknown & unknown);
                /**
                 * @description Its symbol.
                 * @example USDC
                 */
                symbol: string;
                /**
                 * @description Its name.
                 * @example USD Coin
                 */
                name: string;
                /**
                 * Format: int32
                 * @description Its decimals.
                 * @example 18
                 */
                decimals: number;
                /**
                 * @description More asset ids that mean this coin.
                 * @example [
                 *       "eip155:5042/slip44:5042"
                 *     ]
                 */
                aliases?: string[];
            };
            /**
             * @description The CAIP-19 namespace of its tokens.
             * @example erc20
             */
            token_namespace: string;
            /** @description When a block is final, unless a project has its own rule. */
            confirmation: {
                /**
                 * @description `tag`: the finality that the node tells; `depth`: blocks on top.
                 * @example tag
                 * @enum {string}
                 */
                type: "tag" | "depth";
                /**
                 * @description The block tag that counts as final.
                 * @example finalized
                 * @enum {string}
                 */
                tag?: "finalized" | "safe";
                /**
                 * Format: int32
                 * @description Blocks, the block itself included.
                 * @example 12
                 */
                depth: number;
            };
            /**
             * Format: int32
             * @description A first guess of the time between blocks; it is measured.
             * @example 500
             */
            block_time_ms: number;
            /**
             * Format: int64
             * @description Usual time until a later header proves a block.
             * @example 4000
             */
            evidence_delay_ms?: number;
            /**
             * @description How balances change without a transaction that tells it.
             * @example [
             *       "withdrawal",
             *       "adjustment"
             *     ]
             */
            untold_reasons?: ("withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            /**
             * @description The contract that wraps the native coin: its deposits mint and its withdrawals burn.
             * @example 0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2
             */
            wrapped_native?: string;
            /** @description Old tokens whose contracts do not say what they are. */
            tokens?: {
                /**
                 * @description The contract as CAIP-19.
                 * @example eip155:1/erc20:0x06012c8cf97bead5deae237070f9587f8e7a266d
                 */
                gid: string;
                /**
                 * @description Whether its units are alike or each its own.
                 * @default token
                 * @example nft
                 * @enum {string}
                 */
                type?: "token" | "nft";
                /**
                 * @description Its symbol.
                 * @example CK
                 */
                symbol: string;
                /**
                 * @description Its name.
                 * @example CryptoKitties
                 */
                name: string;
                /**
                 * Format: int32
                 * @description Its decimals.
                 * @default 0
                 * @example 0
                 */
                decimals?: number;
            }[];
            /** @description URL templates of a block explorer. */
            explorer?: {
                /**
                 * @description Page of an address.
                 * @example https://explorer.example.com/address/{address}
                 */
                address?: string;
                /**
                 * @description Page of a transaction.
                 * @example https://explorer.example.com/tx/{hash}
                 */
                transaction?: string;
                /**
                 * @description Page of a block.
                 * @example https://explorer.example.com/block/{number}
                 */
                block?: string;
            };
            /**
             * Format: uri
             * @description URL of a logo. Default: the one that this service has for its name.
             * @example https://example.com/arc.svg
             */
            image_url?: string;
            /**
             * @description What the family has to know to prove its blocks; the members are those of the family.
             * @example {
             *       "stack": "ethereum"
             *     }
             */
            traits?: {
                [key: string]: unknown;
            };
        };
        Blockchain: {
            /**
             * @description The chain as CAIP-2.
             * @example eip155:1
             */
            gid: string;
            /**
             * @description URL of its logo.
             * @example https://example.com/ethereum.svg
             */
            image_url: string;
            /**
             * @description Unique name of the chain.
             * @example ethereum
             */
            name: string;
            /**
             * @description Short name of the chain.
             * @example ETH
             */
            short_name: string;
            /** @description Whether the service monitors it. */
            is_active: boolean;
            /**
             * @description The family of the chain.
             * @enum {string}
             */
            family: "evm" | "bitcoin" | "solana" | "tron";
            /** @description Whether a node URL is stored; the URL itself is never shown. */
            has_endpoint: boolean;
            /**
             * @description What happens to final transactions that cannot be proved. `hold`: they are confirmed after another node agrees, a proof arrives, or the operator accepts the incident. `deliver`: they are confirmed with `verification: "trusted"`, unless another node has contradicted them. Incidents stay open either way.
             * @example hold
             * @enum {string}
             */
            unproved: "hold" | "deliver";
            /**
             * @description How balances change on this chain without a transaction that tells it. Whoever credits by transactions subscribes to `balance.changed` with these in `filters.reasons`. Empty where every change is part of a transaction.
             * @example [
             *       "withdrawal",
             *       "adjustment"
             *     ]
             */
            untold_reasons: ("withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            /** @description How far the services are. Null while the chain is not active. */
            sync: {
                /**
                 * @description The first that applies: `unknown` (a service has not reported for 30 s), `stalled` (blocks wait, or a worker beside them fails again and again; the reason says which), `recovering` (a deep reorg), `degraded` (it goes on, and an incident is open), `catching_up`, `starting`, `following`.
                 * @example following
                 */
                status: string;
                /**
                 * @description Why it stands still, or is not known. Null otherwise.
                 * @example null
                 */
                reason: string | null;
                /**
                 * Format: date-time
                 * @description Every service of the chain has reported since then.
                 * @example 2026-01-01T00:00:00.000Z
                 */
                updated_at: string;
                /**
                 * @description Head of the chain as recorded. Null at first.
                 * @example 21000000
                 */
                head_number: number | null;
                /**
                 * @description Head of the chain as its node said last, at most some 10 s ago. Null at first.
                 * @example 21000002
                 */
                node_head_number: number | null;
                /**
                 * @description The highest final block. Null where none is known.
                 * @example 20999936
                 */
                finalized_number: number | null;
                /**
                 * @description The highest block whose transactions are stored. Null at first.
                 * @example 21000000
                 */
                processed_number: number | null;
                /**
                 * @description So many blocks `processed_number` is below `node_head_number`. Null while one of them is.
                 * @example 2
                 */
                lag_blocks: number | null;
                /**
                 * @description Every balance was read from the chain at this time or later, whether a transaction touched it or not. Null until the first round has read all of them, and where none is made: on Bitcoin, while no node tells the coins of an address.
                 * @example 2026-11-28T09:00:00.000Z
                 */
                balances_checked_at: string | null;
                /**
                 * @description Measured time between two blocks: the median of the last 100. Null until 50 blocks were seen, and on local chains.
                 * @example 12000
                 */
                block_time_ms: number | null;
                /**
                 * @description Time between two blocks that this release expects. Null on local chains.
                 * @example 12000
                 */
                configured_block_time_ms: number | null;
                /**
                 * @description What proves a block at the head of this chain, by the network’s document: on EVM `header_hash`, `transactions_root` and `receipts_root`, or `logs_bloom` where roots are tolerant; on Bitcoin `merkle_root` and `witness_commitment`. Empty where only the node’s word stands.
                 * @example [
                 *       "header_hash",
                 *       "transactions_root",
                 *       "receipts_root"
                 *     ]
                 */
                proofs: string[];
                /**
                 * Format: int64
                 * @description Open incidents: kinds of content in its blocks that this release does not know, and what is set aside.
                 * @example 0
                 */
                incident_count: number;
            } | null;
        };
        /** @description The position of the page in the list. */
        PageMeta: {
            /**
             * Format: int32
             * @description Items a page.
             * @example 20
             */
            limit: number;
            /**
             * Format: int64
             * @description Which page this is, from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int64
             * @description Items on all pages.
             * @example 1
             */
            total: number;
            /**
             * Format: int64
             * @description How many pages there are.
             * @example 1
             */
            total_pages: number;
            /**
             * @description The `cursor` of the next page; absent on the last one.
             * @example v1.main.3q2-7wAA
             */
            next_cursor?: string;
        };
        BlockchainPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Blockchain"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        CreateBlockchainInput: {
            /**
             * @description A known network as CAIP-2 (`GET /networks`).
             * @example eip155:1
             */
            chain_gid: string;
        };
        BlockchainDetails: {
            /**
             * @description The chain as CAIP-2.
             * @example eip155:1
             */
            gid: string;
            /**
             * @description URL of its logo.
             * @example https://example.com/ethereum.svg
             */
            image_url: string;
            /**
             * @description Unique name of the chain.
             * @example ethereum
             */
            name: string;
            /**
             * @description Short name of the chain.
             * @example ETH
             */
            short_name: string;
            /** @description Whether the service monitors it. */
            is_active: boolean;
            /**
             * @description The family of the chain.
             * @enum {string}
             */
            family: "evm" | "bitcoin" | "solana" | "tron";
            /** @description Whether a node URL is stored; the URL itself is never shown. */
            has_endpoint: boolean;
            /**
             * @description What happens to final transactions that cannot be proved. `hold`: they are confirmed after another node agrees, a proof arrives, or the operator accepts the incident. `deliver`: they are confirmed with `verification: "trusted"`, unless another node has contradicted them. Incidents stay open either way.
             * @example hold
             * @enum {string}
             */
            unproved: "hold" | "deliver";
            /**
             * @description How balances change on this chain without a transaction that tells it. Whoever credits by transactions subscribes to `balance.changed` with these in `filters.reasons`. Empty where every change is part of a transaction.
             * @example [
             *       "withdrawal",
             *       "adjustment"
             *     ]
             */
            untold_reasons: ("withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            /** @description How far the services are. Null while the chain is not active. */
            sync: {
                /**
                 * @description The first that applies: `unknown` (a service has not reported for 30 s), `stalled` (blocks wait, or a worker beside them fails again and again; the reason says which), `recovering` (a deep reorg), `degraded` (it goes on, and an incident is open), `catching_up`, `starting`, `following`.
                 * @example following
                 */
                status: string;
                /**
                 * @description Why it stands still, or is not known. Null otherwise.
                 * @example null
                 */
                reason: string | null;
                /**
                 * Format: date-time
                 * @description Every service of the chain has reported since then.
                 * @example 2026-01-01T00:00:00.000Z
                 */
                updated_at: string;
                /**
                 * @description Head of the chain as recorded. Null at first.
                 * @example 21000000
                 */
                head_number: number | null;
                /**
                 * @description Head of the chain as its node said last, at most some 10 s ago. Null at first.
                 * @example 21000002
                 */
                node_head_number: number | null;
                /**
                 * @description The highest final block. Null where none is known.
                 * @example 20999936
                 */
                finalized_number: number | null;
                /**
                 * @description The highest block whose transactions are stored. Null at first.
                 * @example 21000000
                 */
                processed_number: number | null;
                /**
                 * @description So many blocks `processed_number` is below `node_head_number`. Null while one of them is.
                 * @example 2
                 */
                lag_blocks: number | null;
                /**
                 * @description Every balance was read from the chain at this time or later, whether a transaction touched it or not. Null until the first round has read all of them, and where none is made: on Bitcoin, while no node tells the coins of an address.
                 * @example 2026-11-28T09:00:00.000Z
                 */
                balances_checked_at: string | null;
                /**
                 * @description Measured time between two blocks: the median of the last 100. Null until 50 blocks were seen, and on local chains.
                 * @example 12000
                 */
                block_time_ms: number | null;
                /**
                 * @description Time between two blocks that this release expects. Null on local chains.
                 * @example 12000
                 */
                configured_block_time_ms: number | null;
                /**
                 * @description What proves a block at the head of this chain, by the network’s document: on EVM `header_hash`, `transactions_root` and `receipts_root`, or `logs_bloom` where roots are tolerant; on Bitcoin `merkle_root` and `witness_commitment`. Empty where only the node’s word stands.
                 * @example [
                 *       "header_hash",
                 *       "transactions_root",
                 *       "receipts_root"
                 *     ]
                 */
                proofs: string[];
                /**
                 * Format: int64
                 * @description Open incidents: kinds of content in its blocks that this release does not know, and what is set aside.
                 * @example 0
                 */
                incident_count: number;
            } | null;
            /** @description Upgrades of the last 90 days, oldest first, and the next one; if none has a date, those announced without one. Then those with a height alone, until 90 days of blocks after it. */
            upgrades: components["schemas"]["Upgrade"][];
            /**
             * @description The day on which the calendar of upgrades was last compared with its sources. Null for a chain without one.
             * @example 2026-11-27
             */
            upgrades_reviewed: string | null;
        };
        Upgrade: {
            /**
             * @description Name of the upgrade.
             * @example Lagoon
             */
            name: string;
            /**
             * @description When it takes effect: a moment, or a day (UTC) if only the day is known. Null without a date.
             * @example 2026-12-08T02:30:00Z
             * @example 2026-10-21
             */
            date: (string) | null;
            /**
             * @description The first block or slot under the new rules. Null where a time decides, or none is known.
             * @example null
             * @example 459652999
             */
            height: number | null;
            /**
             * @description Of date and height. `verified`: two sources, or the configuration of a client. `one-source`: one. `unverified`: a roadmap or a calculation.
             * @example verified
             * @enum {string}
             */
            certainty: "verified" | "one-source" | "unverified";
            /**
             * @description What changes in the blocks and in the answers of nodes.
             * @example CAS20 tokens (BEP-702): a Memo event after the Transfer it belongs to.
             */
            changes: string;
            /**
             * @description State of this release. `ready`: tested with a recorded block after the upgrade. `generated`: tested with blocks generated in the published format. `not`: not supported; `reason` says what is missing.
             * @example generated
             * @enum {string}
             */
            state: "ready" | "generated" | "not";
            /**
             * @description What is missing in this release. Null unless `state` is `not`.
             * @example null
             */
            reason: string | null;
            /**
             * @description Where it is announced or specified.
             * @example [
             *       "https://github.com/bnb-chain/bsc/releases/tag/v1.8.2"
             *     ]
             */
            sources: string[];
        };
        /** @default {} */
        ActivateBlockchainInput: {
            /**
             * Format: int64
             * @description Where a chain begins that was never followed; without it at the `START_BLOCK` of its ingestor, else at the head of then.
             * @example 21000000
             */
            from_block?: number;
        };
        ReprocessBlocksInput: {
            /**
             * Format: int64
             * @description The first block, one that was processed.
             * @example 21000000
             */
            from_block: number;
            /**
             * Format: int64
             * @description The last block, one that was processed.
             * @example 21000100
             */
            to_block: number;
        };
        Reprocess: {
            /**
             * Format: uuid
             * @description Of the request.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description The chain as CAIP-2.
             * @example eip155:1
             */
            chain_gid: string;
            /**
             * @description `running` until every block is decoded again; one runs on a chain at a time.
             * @enum {string}
             */
            status: "running" | "done";
            /**
             * Format: int64
             * @description The first block.
             * @example 21000000
             */
            from_block: number;
            /**
             * Format: int64
             * @description The last block.
             * @example 21000100
             */
            to_block: number;
            /**
             * Format: int64
             * @description Blocks below are done.
             * @example 21000000
             */
            next_block: number;
            /**
             * Format: date-time
             * @description When it was asked for.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
        };
        ResetBlockchainInput: {
            /**
             * Format: int64
             * @description The first block that is given up; without it all are.
             * @example 21000000
             */
            from_block?: number;
            /**
             * @description The chain as CAIP-2 once more: every transaction from there on is told as undone.
             * @example eip155:31337
             */
            confirm: string;
        };
        Reset: {
            /**
             * Format: uuid
             * @description Of the request.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description The chain as CAIP-2.
             * @example eip155:31337
             */
            chain_gid: string;
            /**
             * @description `running` until every block is given up; one runs on a chain at a time.
             * @enum {string}
             */
            status: "running" | "done";
            /**
             * @description The first block that is given up. Null: all are.
             * @example null
             */
            from_block: number | null;
            /**
             * Format: date-time
             * @description When it was asked for.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
        };
        SkipBlocksInput: {
            /**
             * Format: int64
             * @description The first block, one that was not processed yet.
             * @example 21000000
             */
            from_block: number;
            /**
             * Format: int64
             * @description The last block, one whose header is known. At most 1,000 blocks.
             * @example 21000002
             */
            to_block: number;
            /**
             * @description The chain as CAIP-2 once more: nothing in these blocks is reported or confirmed.
             * @example eip155:1
             */
            confirm: string;
        };
        Skip: {
            /**
             * Format: uuid
             * @description Of the request.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description The chain as CAIP-2.
             * @example eip155:1
             */
            chain_gid: string;
            /**
             * Format: int64
             * @description The first block that may be skipped.
             * @example 21000000
             */
            from_block: number;
            /**
             * Format: int64
             * @description The last block that may be skipped.
             * @example 21000002
             */
            to_block: number;
            /**
             * Format: date-time
             * @description When it was asked for.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
        };
        Node: {
            /**
             * @description Scheme, host and port of its URL; what may hold a credential is never shown.
             * @example https://node.example.com:443
             */
            url: string;
            /** @description Whether the chain is read from it now. */
            is_in_use: boolean;
            /**
             * @description `serving`: it answered when it was asked last; `failing`: it did not, or serves another chain; `unknown`: it was not asked yet.
             * @enum {string}
             */
            status: "serving" | "failing" | "unknown";
            /**
             * @description The last head that it told. Null before.
             * @example 21000002
             */
            head_number: number | null;
            /**
             * @description How many milliseconds it took to tell a head when it was asked last. Null before.
             * @example 42
             */
            latency_ms: number | null;
            /**
             * @description When it answered last, since the ingestor began to read the chain. Null: never.
             * @example 2026-01-01T00:00:00.000Z
             */
            last_success_at: string | null;
            /**
             * @description When it failed last, since then. Null: never.
             * @example null
             */
            last_error_at: string | null;
            /**
             * @description Why it failed then. Null: it never did.
             * @example null
             */
            last_error: string | null;
        };
        ListNodesResult: {
            /**
             * @description When the ingestor said so, which it does every 10 s. Null where nobody did for 30 s: then nothing is known of the nodes.
             * @example 2026-01-01T00:00:00.000Z
             */
            reported_at: string | null;
            /** @description In the order of preference. */
            items: components["schemas"]["Node"][];
        };
        Incident: {
            /**
             * Format: uuid
             * @description Of the incident.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description The chain as CAIP-2.
             * @example eip155:1
             */
            chain_gid: string;
            /**
             * @description What this release does not know; one such incident of a kind is open on a chain at a time. `poison:<step>`: what is set aside, because that step fails with it. `decimals:<asset>`: a token that was told with other decimals than it has. `skipped:<from>-<to>`: blocks that no node has and that the operator skipped.
             * @example transaction-type:0x7d
             * @example poison:balances
             */
            kind: string;
            /**
             * @description `open`: somebody has to look at it; `resolved`: a release, or a node, that knows the kind told its blocks; `accepted`: the operator stands for what was told of its blocks.
             * @enum {string}
             */
            status: "open" | "resolved" | "accepted";
            /**
             * Format: int64
             * @description The first block that has it.
             * @example 21000000
             */
            block_number: number;
            /**
             * @description The last block that was taken with it so far. Null while the first one waits for a node that knows it.
             * @example 21000100
             */
            last_block_number: number | null;
            /**
             * @description The first transaction that has it. Null where it stands in the block itself.
             * @example 0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b
             */
            transaction_hash: string | null;
            /** @description What is set aside, so that the rest goes on (`poison:<step>`). It is tried again once a day, when the service starts, and after `actions/reprocess`. Null for what this release does not know. */
            subject: {
                /**
                 * @description What it is.
                 * @example address
                 * @enum {string}
                 */
                type: "address" | "asset" | "transaction" | "event" | "channel";
                /**
                 * @description Its id; of an asset its CAIP-19 identifier, of a transaction its hash.
                 * @example 6f1d1f4e-0000-4000-8000-000000000002
                 */
                id: string;
            } | null;
            /**
             * @description Of a balance that is set aside: which one of the address. Null otherwise.
             * @example null
             * @example eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7
             */
            asset_gid: string | null;
            /**
             * @description What this release knows.
             * @example transaction types 0x0 to 0x4
             */
            expected: string;
            /**
             * @description What came.
             * @example transaction type 0x7d
             */
            got: string;
            /** @description Whether another node tells something else of what could not be proved; the log of tx-analyzer names the block and the transactions. What is contradicted is not confirmed before the incident is accepted. */
            is_contradicted: boolean;
            /**
             * @description The upgrade of the chain that explains the incident. Update the service if its `state` is `not`. Null where none is known.
             * @example null
             * @example {
             *       "name": "Everest",
             *       "date": null,
             *       "state": "generated"
             *     }
             */
            upgrade: {
                /**
                 * @description Name of the upgrade.
                 * @example Lagoon
                 */
                name: string;
                /**
                 * @description When it takes effect: a moment, or a day (UTC) if only the day is known. Null without a date.
                 * @example 2026-12-08T02:30:00Z
                 * @example 2026-10-21
                 */
                date: (string) | null;
                /**
                 * @description State of this release. `ready`: tested with a recorded block after the upgrade. `generated`: tested with blocks generated in the published format. `not`: not supported; `reason` says what is missing.
                 * @example generated
                 * @enum {string}
                 */
                state: "ready" | "generated" | "not";
            } | null;
            /**
             * Format: date-time
             * @description When it was seen first.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * @description When it was resolved. Null otherwise.
             * @example null
             */
            resolved_at: string | null;
            /**
             * @description When it was accepted. Null otherwise.
             * @example null
             */
            accepted_at: string | null;
        };
        IncidentPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Incident"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        UpdateEvmEndpointInput: {
            /**
             * Format: uri
             * @description URL of the JSON-RPC interface of the node. Write-only.
             * @example https://node.example.com:8545
             */
            endpoint_url?: string;
            /**
             * @description What happens to final transactions that cannot be proved. `hold`: they are confirmed after another node agrees, a proof arrives, or the operator accepts the incident. `deliver`: they are confirmed with `verification: "trusted"`, unless another node has contradicted them. Incidents stay open either way.
             * @example hold
             * @enum {string}
             */
            unproved?: "hold" | "deliver";
        };
        UpdateBitcoinEndpointInput: {
            /**
             * Format: uri
             * @description URL of the JSON-RPC interface of the node. Write-only.
             * @example https://node.example.com:8332
             */
            endpoint_url?: string;
            /**
             * @description What happens to final transactions that cannot be proved. `hold`: they are confirmed after another node agrees, a proof arrives, or the operator accepts the incident. `deliver`: they are confirmed with `verification: "trusted"`, unless another node has contradicted them. Incidents stay open either way.
             * @example hold
             * @enum {string}
             */
            unproved?: "hold" | "deliver";
        };
        UpdateSolanaEndpointInput: {
            /**
             * Format: uri
             * @description URL of the JSON-RPC interface of the node. Write-only.
             * @example https://node.example.com:8899
             */
            endpoint_url?: string;
            /**
             * @description What happens to final transactions that cannot be proved. `hold`: they are confirmed after another node agrees, a proof arrives, or the operator accepts the incident. `deliver`: they are confirmed with `verification: "trusted"`, unless another node has contradicted them. Incidents stay open either way.
             * @example hold
             * @enum {string}
             */
            unproved?: "hold" | "deliver";
        };
        UpdateTronEndpointInput: {
            /**
             * Format: uri
             * @description URL of the HTTP wallet API of the node. Write-only.
             * @example https://node.example.com
             */
            endpoint_url?: string;
            /**
             * Format: uri
             * @description URL of the Ethereum-compatible JSON-RPC interface of the node. Write-only.
             * @example https://node.example.com/jsonrpc
             */
            evm_endpoint_url?: string;
            /**
             * @description What happens to final transactions that cannot be proved. `hold`: they are confirmed after another node agrees, a proof arrives, or the operator accepts the incident. `deliver`: they are confirmed with `verification: "trusted"`, unless another node has contradicted them. Incidents stay open either way.
             * @example hold
             * @enum {string}
             */
            unproved?: "hold" | "deliver";
        };
        Block: {
            /**
             * @description The chain as CAIP-2.
             * @example eip155:1
             */
            chain_gid: string;
            /**
             * Format: int64
             * @description Height, on Solana the slot.
             * @example 21000000
             */
            number: number;
            /**
             * @description Null while the block is not fetched, and of skipped slots.
             * @example 0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3
             */
            hash: string | null;
            /**
             * @description `new`: discovered; `processed`: its transactions are stored; `confirmed`: final; `reorged`: it left the chain; `skipped`: a slot without a block.
             * @enum {string}
             */
            status: "new" | "processed" | "confirmed" | "reorged" | "skipped";
            /**
             * @description Of the block before. Null while the block is not fetched.
             * @example 0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6
             */
            parent_hash: string | null;
            /**
             * @description When the block says that it was made. Null while it is not fetched.
             * @example 2026-01-01T00:00:00.000Z
             */
            timestamp: string | null;
            /**
             * @description What stands behind the list of its transactions. `proved`: recomputed against the header. `agreed`: nodes of different operators list the same. `attested`: the chain offers no proof, one node states it. `settling`: a later block brings the proof. `unproved`: the proof is missing. Null while the block is not processed, and for blocks that an earlier release processed.
             * @example proved
             */
            verification: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved") | null;
        };
        BlockPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Block"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        Asset: {
            /**
             * @description The asset as CAIP-19.
             * @example eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7
             */
            gid: string;
            /**
             * @description `unknown`: discovered, its metadata is not read yet; `active`: in listings and balances; `invalid`: archived, or not a token contract.
             * @enum {string}
             */
            status: "active" | "unknown" | "invalid";
            /**
             * @description When the project archived it. Null otherwise.
             * @example null
             */
            archived_at: string | null;
            /**
             * Format: date-time
             * @description When the project added it, or discovered it on one of its addresses; of native coins and the built-in list, when the project was made.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it changed last for the project: archived, restored, or its metadata read.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
        };
        AssetPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Asset"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        Token: {
            /**
             * @description The token as CAIP-19.
             * @example eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7
             */
            gid: string;
            /**
             * @description Its chain as CAIP-2.
             * @example eip155:1
             */
            chain_gid: string;
            /**
             * @description Kind of asset in CAIP-19.
             * @example erc20
             */
            namespace: string;
            /**
             * @description Its name in the namespace: of a token the contract.
             * @example 0xdac17f958d2ee523a2206206994597c13d831ec7
             */
            reference: string;
            /**
             * @description `native`: the coin of the chain; `fungible`: a token; `nft`: a collection, of which no balance is read.
             * @enum {string}
             */
            type: "native" | "fungible" | "nft";
            /**
             * @description As its contract says. Null while it has not been asked.
             * @example Tether USD
             */
            name: string | null;
            /**
             * @description As its contract says. Null while it has not been asked.
             * @example USDT
             */
            symbol: string | null;
            /**
             * @description Decimal places between base and whole units. Null while they are not known: it has not been asked, or its contract does not say.
             * @example 6
             */
            decimals: number | null;
            /**
             * @description What wallets multiply its amounts with now, an exact decimal: scaled amounts and interest of Token-2022, ERC-8056. All amounts here are without it. Null where the token has none.
             * @example null
             */
            ui_multiplier: string | null;
            /**
             * @description URL of its logo. Null where none is known.
             * @example null
             */
            image_url: string | null;
            /**
             * @description `unknown`: discovered, its metadata is not read yet; `active`: in listings and balances; `invalid`: archived, or not a token contract.
             * @enum {string}
             */
            status: "active" | "unknown" | "invalid";
            /**
             * @description `registry`: the built-in list; `chain`: asked from the chain.
             * @enum {string}
             */
            source: "chain" | "registry";
            /**
             * Format: date-time
             * @description When the project added it, or discovered it on one of its addresses; of native coins and the built-in list, when the project was made.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it changed last for the project: archived, restored, or its metadata read.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
        };
        TokenPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Token"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        PublicKey: {
            /**
             * Format: uuid
             * @description Of the public key.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description As its user calls it.
             * @example Deposits
             */
            label: string | null;
            /**
             * @description As it was given.
             * @example zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs
             */
            extended_public_key: string;
            /**
             * @description Of the key itself, 8 hexadecimal digits.
             * @example 7ef32bdb
             */
            fingerprint: string;
            /**
             * @description From the wallet to the account.
             * @example m/84'/0'/0'
             */
            derivation_path: string;
            /**
             * Format: int64
             * @description The first step of the path: it decides the address format.
             * @example 84
             */
            purpose: number;
            /**
             * @description The chain of its addresses as CAIP-2.
             * @example bip122:000000000019d6689c085ae165831e93
             */
            chain_gid: string;
            /**
             * @description Of its addresses.
             * @enum {string}
             */
            address_format: "p2pkh" | "p2sh-p2wpkh" | "p2wpkh" | "p2tr";
            /**
             * Format: int64
             * @description The last step of the path.
             * @example 0
             */
            account_index: number;
            /**
             * @description Of the receive addresses: the one that comes next. Null when none is left.
             * @example 5
             */
            next_index: number | null;
            /**
             * Format: int64
             * @description Receive and change addresses together.
             * @example 5
             */
            address_count: number;
            /**
             * @description Of the receive addresses: the highest that a transaction touched. Null where none was.
             * @example 2
             */
            last_used_index: number | null;
            /**
             * Format: int64
             * @description Unused addresses in a row after which a wallet stops to look.
             * @example 20
             */
            gap_limit: number;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
        };
        PublicKeyPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["PublicKey"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        CreatePublicKeyInput: {
            /**
             * @description Of an account (depth 3): xpub, ypub, zpub, those of test networks, or one of the extended keys that a coin has of its own, such as Ltub, Mtub and dgub.
             * @example zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs
             */
            extended_public_key: string;
            /**
             * @description From the wallet to the account; it decides address format and network.
             * @example m/84'/0'/0'
             */
            derivation_path: string;
            /**
             * @description As you call it.
             * @example Deposits
             */
            label?: string | null;
            /**
             * @description Which of the test networks, where the path stands for all of them.
             * @example bip122:000000000019d6689c085ae165831e93
             */
            chain_gid?: string;
            /**
             * Format: int32
             * @description Unused addresses in a row after which a wallet stops to look.
             * @default 20
             * @example 20
             */
            gap_limit?: number;
        };
        UpdatePublicKeyInput: {
            /**
             * @description As you call it. Null takes it away.
             * @example Deposits
             */
            label: string | null;
        };
        HdAddress: {
            /**
             * Format: uuid
             * @description Of the address in this project.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description The address in its display form (EVM: EIP-55).
             * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
             */
            address: string;
            /**
             * @description The family of chains that knows it; an EVM address is watched on every active EVM chain.
             * @enum {string}
             */
            chain_family: "evm" | "bitcoin" | "solana" | "tron";
            /**
             * @description How it is written: `evm`, `p2wpkh`, …. A `p2pkh` address does not match outputs that pay its public key directly (P2PK), as in Bitcoin Core.
             * @example evm
             */
            format: string;
            /**
             * @description As its user calls it.
             * @example Treasury
             */
            label: string | null;
            /**
             * @description JSON of its user, given back as it came.
             * @example {
             *       "customer_id": "1042"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description Groups of its user that it is in.
             * @example [
             *       "customers",
             *       "eu"
             *     ]
             */
            groups: string[];
            /** @description Whether transactions of it are told. */
            is_monitored: boolean;
            /**
             * @description The chains that know the address, as CAIP-2. `active`: its payments are detected there, while `is_monitored`. `inactive`: the chain is deactivated. `not_followed`: the service does not have the chain.
             * @example {
             *       "eip155:1": "active"
             *     }
             */
            monitoring: {
                [key: string]: "active" | "inactive" | "not_followed";
            };
            /**
             * @description Why payments to the address are not detected although it is monitored. Show the address to nobody before you have dealt with it.
             * @example []
             */
            warnings: string[];
            /**
             * @description The first block that counts, by chain as CAIP-2: what lies before was not looked at.
             * @example {
             *       "eip155:1": 21000000
             *     }
             */
            watched_from: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
            /**
             * @description The search for what it had or did before it was watched. Null where nobody asked for its history, and the chain itself tells balances by address.
             * @example null
             */
            backfill: {
                /**
                 * @description Of the chain that is behind most.
                 * @enum {string}
                 */
                status: "failed" | "running" | "pending" | "complete";
                /**
                 * Format: int64
                 * @description The lowest block that was asked for.
                 * @example 0
                 */
                from_block: number;
                /**
                 * @description The search on each chain, by CAIP-2.
                 * @example {
                 *       "bip122:000000000019d6689c085ae165831e93": {
                 *         "status": "complete",
                 *         "from_block": 0,
                 *         "method": "scan",
                 *         "next_block": null,
                 *         "to_block": 870000,
                 *         "progress": 1,
                 *         "rate": null,
                 *         "coin_count": 3,
                 *         "transaction_count": 0,
                 *         "reason": null,
                 *         "not_covered": []
                 *       }
                 *     }
                 */
                chains: {
                    [key: string]: {
                        /**
                         * @description Of this chain.
                         * @enum {string}
                         */
                        status: "failed" | "running" | "pending" | "complete";
                        /**
                         * Format: int64
                         * @description Block from which its past is looked for.
                         * @example 0
                         */
                        from_block: number;
                        /** @description `history`: transactions are looked for in final blocks, on EVM, TRON and Solana. Unspent outputs: `scan`, a node or an index told them; `rescan`, blocks are read. Null while it is not decided. */
                        method: ("scan" | "rescan" | "history") | null;
                        /**
                         * @description The block that is read next: those below were. Null with `scan`.
                         * @example null
                         */
                        next_block: number | null;
                        /**
                         * @description The last block of the search. Null while it is not known.
                         * @example 21000000
                         */
                        to_block: number | null;
                        /**
                         * @description The part of its blocks that was read. Null while that is not known.
                         * @example 1
                         */
                        progress: number | null;
                        /**
                         * @description Blocks read per second, lately. Null where that is not known.
                         * @example null
                         */
                        rate: number | null;
                        /**
                         * Format: int64
                         * @description Unspent outputs that were found.
                         * @example 3
                         */
                        coin_count: number;
                        /**
                         * Format: int64
                         * @description Transactions that were found. 0 with `scan` and `rescan`.
                         * @example 0
                         */
                        transaction_count: number;
                        /**
                         * @description Why it failed or waits. Null otherwise.
                         * @example null
                         */
                        reason: string | null;
                        /**
                         * @description Blocks in which token transfers of the address may be missing: Solana recorded no owners of token accounts before the end of 2021. At most 100 ranges, ascending; beyond that, close ones are joined.
                         * @example []
                         */
                        not_covered: {
                            /**
                             * Format: int64
                             * @description The first block of the range.
                             * @example 62000000
                             */
                            from_block: number;
                            /**
                             * Format: int64
                             * @description The last block of the range.
                             * @example 62000000
                             */
                            to_block: number;
                        }[];
                    };
                };
            } | null;
            /**
             * @description Derived from a public key. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "hd";
            /**
             * Format: uuid
             * @description The public key it was derived from.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            public_key_id: string;
            /**
             * @description The whole path.
             * @example m/84'/0'/0'/0/5
             */
            derivation_path: string;
            /**
             * Format: int64
             * @description Its place in the chain of the key, from 0.
             * @example 5
             */
            index: number;
            /**
             * Format: int64
             * @description 0: receive, 1: change.
             * @example 0
             */
            change: number;
            /** @description Whether a transaction touched it. */
            is_used: boolean;
            /** @description Wallets that scan for used addresses would stop before it: it is more than the gap limit behind the last used one. */
            beyond_gap_limit: boolean;
        };
        HdAddressPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["HdAddress"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        /** @default {} */
        CreatePublicKeyAddressesInput: {
            /**
             * @description These, at most 1,000.
             * @example [
             *       0,
             *       1,
             *       2
             *     ]
             */
            indexes?: number[];
            /**
             * Format: int32
             * @description Or these: the first, with `to`.
             * @example 0
             */
            from?: number;
            /**
             * Format: int32
             * @description The last.
             * @example 9
             */
            to?: number;
            /**
             * Format: int32
             * @description 0: receive, 1: change.
             * @default 0
             * @example 0
             * @enum {integer}
             */
            change?: 0 | 1;
        };
        CreatePublicKeyAddressesResult: {
            /** @description All that were asked for, by index. */
            items: components["schemas"]["HdAddress"][];
            /**
             * Format: int64
             * @description How many of them are new.
             * @example 1
             */
            created_count: number;
            /**
             * Format: int64
             * @description How many were there already.
             * @example 0
             */
            existing_count: number;
        };
        /** @default {} */
        CreateNextAddressInput: {
            /**
             * Format: int32
             * @description 0: receive, 1: change.
             * @default 0
             * @example 0
             * @enum {integer}
             */
            change?: 0 | 1;
        };
        Address: components["schemas"]["ExternalAddress"] | components["schemas"]["HdAddress"];
        ExternalAddress: {
            /**
             * Format: uuid
             * @description Of the address in this project.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description The address in its display form (EVM: EIP-55).
             * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
             */
            address: string;
            /**
             * @description The family of chains that knows it; an EVM address is watched on every active EVM chain.
             * @enum {string}
             */
            chain_family: "evm" | "bitcoin" | "solana" | "tron";
            /**
             * @description How it is written: `evm`, `p2wpkh`, …. A `p2pkh` address does not match outputs that pay its public key directly (P2PK), as in Bitcoin Core.
             * @example evm
             */
            format: string;
            /**
             * @description As its user calls it.
             * @example Treasury
             */
            label: string | null;
            /**
             * @description JSON of its user, given back as it came.
             * @example {
             *       "customer_id": "1042"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description Groups of its user that it is in.
             * @example [
             *       "customers",
             *       "eu"
             *     ]
             */
            groups: string[];
            /** @description Whether transactions of it are told. */
            is_monitored: boolean;
            /**
             * @description The chains that know the address, as CAIP-2. `active`: its payments are detected there, while `is_monitored`. `inactive`: the chain is deactivated. `not_followed`: the service does not have the chain.
             * @example {
             *       "eip155:1": "active"
             *     }
             */
            monitoring: {
                [key: string]: "active" | "inactive" | "not_followed";
            };
            /**
             * @description Why payments to the address are not detected although it is monitored. Show the address to nobody before you have dealt with it.
             * @example []
             */
            warnings: string[];
            /**
             * @description The first block that counts, by chain as CAIP-2: what lies before was not looked at.
             * @example {
             *       "eip155:1": 21000000
             *     }
             */
            watched_from: {
                [key: string]: number;
            };
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
            /**
             * @description The search for what it had or did before it was watched. Null where nobody asked for its history, and the chain itself tells balances by address.
             * @example null
             */
            backfill: {
                /**
                 * @description Of the chain that is behind most.
                 * @enum {string}
                 */
                status: "failed" | "running" | "pending" | "complete";
                /**
                 * Format: int64
                 * @description The lowest block that was asked for.
                 * @example 0
                 */
                from_block: number;
                /**
                 * @description The search on each chain, by CAIP-2.
                 * @example {
                 *       "bip122:000000000019d6689c085ae165831e93": {
                 *         "status": "complete",
                 *         "from_block": 0,
                 *         "method": "scan",
                 *         "next_block": null,
                 *         "to_block": 870000,
                 *         "progress": 1,
                 *         "rate": null,
                 *         "coin_count": 3,
                 *         "transaction_count": 0,
                 *         "reason": null,
                 *         "not_covered": []
                 *       }
                 *     }
                 */
                chains: {
                    [key: string]: {
                        /**
                         * @description Of this chain.
                         * @enum {string}
                         */
                        status: "failed" | "running" | "pending" | "complete";
                        /**
                         * Format: int64
                         * @description Block from which its past is looked for.
                         * @example 0
                         */
                        from_block: number;
                        /** @description `history`: transactions are looked for in final blocks, on EVM, TRON and Solana. Unspent outputs: `scan`, a node or an index told them; `rescan`, blocks are read. Null while it is not decided. */
                        method: ("scan" | "rescan" | "history") | null;
                        /**
                         * @description The block that is read next: those below were. Null with `scan`.
                         * @example null
                         */
                        next_block: number | null;
                        /**
                         * @description The last block of the search. Null while it is not known.
                         * @example 21000000
                         */
                        to_block: number | null;
                        /**
                         * @description The part of its blocks that was read. Null while that is not known.
                         * @example 1
                         */
                        progress: number | null;
                        /**
                         * @description Blocks read per second, lately. Null where that is not known.
                         * @example null
                         */
                        rate: number | null;
                        /**
                         * Format: int64
                         * @description Unspent outputs that were found.
                         * @example 3
                         */
                        coin_count: number;
                        /**
                         * Format: int64
                         * @description Transactions that were found. 0 with `scan` and `rescan`.
                         * @example 0
                         */
                        transaction_count: number;
                        /**
                         * @description Why it failed or waits. Null otherwise.
                         * @example null
                         */
                        reason: string | null;
                        /**
                         * @description Blocks in which token transfers of the address may be missing: Solana recorded no owners of token accounts before the end of 2021. At most 100 ranges, ascending; beyond that, close ones are joined.
                         * @example []
                         */
                        not_covered: {
                            /**
                             * Format: int64
                             * @description The first block of the range.
                             * @example 62000000
                             */
                            from_block: number;
                            /**
                             * Format: int64
                             * @description The last block of the range.
                             * @example 62000000
                             */
                            to_block: number;
                        }[];
                    };
                };
            } | null;
            /**
             * @description Imported, not derived. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "external";
            /**
             * @description When it was imported.
             * @example 2026-01-01T00:00:00.000Z
             */
            imported_at: string | null;
        };
        AddressPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Address"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        CreateExternalAddressInput: {
            /**
             * @description The address, in any form that its family reads.
             * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
             */
            value: string;
            /**
             * @description The family of chains that the address belongs to. Required, unless `chainFamily` has it.
             * @enum {string}
             */
            chain_family?: "evm" | "bitcoin" | "solana" | "tron";
            /**
             * @description As you call it.
             * @example Treasury
             */
            label?: string | null;
            /**
             * @description JSON of yours, at most 50 members and 16 KiB.
             * @example {
             *       "customer_id": "1042"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * @description Groups of yours that it is in, at most 20, for filters of lists and channels. No commas.
             * @example [
             *       "customers",
             *       "eu"
             *     ]
             */
            groups?: string[];
            /**
             * @description The chains that the address is meant for, as CAIP-2. Needed where chains read the same text and write it differently, such as a Base58 address of Bitcoin Cash: without it, the address counts on the chains that write it so. Name every chain that writes it the same way, because it counts on all of them.
             * @example [
             *       "bip122:000000000019d6689c085ae165831e93"
             *     ]
             */
            chain_gids?: string[];
            /**
             * @description Monitor the zero address or a burn address all the same: every mint and burn of a chain then becomes an event.
             * @default false
             */
            allow_burn?: boolean;
            /**
             * Format: int64
             * @description As `history`, for the only active chain that knows the address.
             * @example 0
             */
            from_block?: number;
            /**
             * @description Blocks from which its past is read, by chain as CAIP-2: final transactions of EVM, TRON and Solana, unspent outputs of Bitcoin. Each chain must be active and know the address.
             * @example {
             *       "eip155:1": 21000000
             *     }
             */
            history?: {
                [key: string]: number;
            };
            /**
             * @deprecated
             * @description Another spelling of `chain_family`.
             * @enum {string}
             */
            chainFamily?: "evm" | "bitcoin" | "solana" | "tron";
        };
        ImportAddressesInput: {
            /**
             * @description The family of chains that knows all of them.
             * @enum {string}
             */
            chain_family: "evm" | "bitcoin" | "solana" | "tron";
            /** @description At most 10,000. */
            addresses: {
                /**
                 * @description The address, in any form that its family reads.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                value: string;
                /**
                 * @description As you call it. The `'` that CSV exports put before `=`, `+`, `-`, `@` and tabs is taken away.
                 * @example Treasury
                 */
                label?: string | null;
                /**
                 * @description JSON of yours, at most 50 members and 16 KiB.
                 * @example {
                 *       "customer_id": "1042"
                 *     }
                 */
                metadata?: {
                    [key: string]: unknown;
                };
                /**
                 * @description Groups of yours that it is in, at most 20, for filters of lists and channels. No commas.
                 * @example [
                 *       "customers",
                 *       "eu"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description The chains that the address is meant for, as CAIP-2. Needed where chains read the same text and write it differently, such as a Base58 address of Bitcoin Cash: without it, the address counts on the chains that write it so. Name every chain that writes it the same way, because it counts on all of them.
                 * @example [
                 *       "bip122:000000000019d6689c085ae165831e93"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Blocks from which its past is read, by chain as CAIP-2: final transactions of EVM, TRON and Solana, unspent outputs of Bitcoin. Each chain must be active and know the address.
                 * @example {
                 *       "eip155:1": 21000000
                 *     }
                 */
                history?: {
                    [key: string]: number;
                };
                /**
                 * @description Monitor the zero address or a burn address all the same.
                 * @default false
                 */
                allow_burn?: boolean;
            }[];
        };
        CreatedImport: {
            /**
             * @description It is new. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "created";
            /** @description The address as it is now. */
            address: components["schemas"]["Address"];
        };
        ExistingImport: {
            /**
             * @description The project had it already, or an earlier entry is the same address. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "exists";
            /** @description The address as it is now. */
            address: components["schemas"]["Address"];
        };
        InvalidImport: {
            /**
             * @description It was not imported. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "invalid";
            /**
             * @description As it was sent.
             * @example 0x1
             */
            value: string;
            /** @description Why it was not imported. */
            problem: components["schemas"]["Problem"];
        };
        ImportAddressesResult: {
            /** @description One for each entry, in their order. */
            items: (components["schemas"]["CreatedImport"] | components["schemas"]["ExistingImport"] | components["schemas"]["InvalidImport"])[];
        };
        UpdateManyAddressesInput: {
            /** @description At most 1,000, carried out in this order. */
            items: {
                /**
                 * @description The address, in any form that its family reads.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
                /**
                 * @description As you call it. Null takes it away.
                 * @example Treasury
                 */
                label?: string | null;
                /**
                 * @description JSON of yours, in place of what was there.
                 * @example {
                 *       "customer_id": "1042"
                 *     }
                 */
                metadata?: {
                    [key: string]: unknown;
                };
                /**
                 * @description Its groups, in place of those it was in.
                 * @example [
                 *       "customers",
                 *       "eu"
                 *     ]
                 */
                groups?: string[];
                /** @description Whether transactions of it are told. */
                is_monitored?: boolean;
            }[];
        };
        UpdatedAddressItem: {
            /**
             * @description It was changed. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "updated";
            /** @description The address after all changes. */
            address: components["schemas"]["Address"];
        };
        MissingAddressItem: {
            /**
             * @description The project has no such address. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "not_found";
            /**
             * @description As it was sent.
             * @example 0x1
             */
            value: string;
        };
        InvalidAddressItem: {
            /**
             * @description It was not changed. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            status: "invalid";
            /**
             * @description As it was sent.
             * @example 0x1
             */
            value: string;
            /** @description Why it was not changed. */
            problem: components["schemas"]["Problem"];
        };
        UpdateManyAddressesResult: {
            /** @description One for each item, in their order. */
            items: (components["schemas"]["UpdatedAddressItem"] | components["schemas"]["MissingAddressItem"] | components["schemas"]["InvalidAddressItem"])[];
        };
        QueryBalancesInput: {
            /**
             * @description At most 1,000, in any form that their family reads.
             * @example [
             *       "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
             *     ]
             */
            addresses: string[];
            /**
             * @description Only these assets (CAIP-19), at most 100.
             * @example [
             *       "eip155:1/slip44:60"
             *     ]
             */
            asset_gids?: string[];
        };
        AddressBalances: {
            /**
             * @description The address in its display form.
             * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
             */
            address: string;
            /**
             * @description As `GET /addresses/{address}/balances` answers.
             * @example {
             *       "eip155:1/slip44:60": "1.5"
             *     }
             */
            balances: {
                [key: string]: string | null;
            };
        };
        QueryBalancesResult: {
            /** @description The addresses that the project has, in the order of the request, each once. */
            items: components["schemas"]["AddressBalances"][];
            /**
             * @description Those that it has not, as they were sent.
             * @example [
             *       "0x1"
             *     ]
             */
            not_found: string[];
        };
        UpdateAddressInput: {
            /**
             * @description As you call it. Null takes it away.
             * @example Treasury
             */
            label?: string | null;
            /**
             * @description JSON of yours, in place of what was there.
             * @example {
             *       "customer_id": "1042"
             *     }
             */
            metadata?: {
                [key: string]: unknown;
            };
            /**
             * @description Its groups, in place of those it was in.
             * @example [
             *       "customers",
             *       "eu"
             *     ]
             */
            groups?: string[];
            /** @description Whether transactions of it are told. */
            is_monitored?: boolean;
        };
        BackfillAddressInput: {
            /**
             * @description Blocks from which its past is read, by chain as CAIP-2: final transactions of EVM, TRON and Solana, unspent outputs of Bitcoin. Each chain must be active and know the address.
             * @example {
             *       "eip155:1": 21000000
             *     }
             */
            history: {
                [key: string]: number;
            };
        };
        /**
         * @description Balances in whole units, exact decimals, by asset as CAIP-19. Null while the decimals of the token are not known: `GET /addresses/{address}/balances/details` has base units.
         * @example {
         *       "eip155:1/slip44:60": "1.5"
         *     }
         */
        GetBalancesResult: {
            [key: string]: string | null;
        };
        BalanceDetails: {
            /**
             * @description The asset as CAIP-19.
             * @example eip155:1/slip44:60
             */
            asset_gid: string;
            /**
             * @description All that the address has, in whole units, as of the last block that was analysed: confirmed + unconfirmed + immature. Null, as every amount here, while the decimals of the token are not known.
             * @example 1.5
             */
            total: string | null;
            /**
             * @description `total` in base units.
             * @example 1500000000000000000
             */
            total_raw: string;
            /**
             * @description Decimal places between base and whole units. Null while they are not known.
             * @example 18
             */
            decimals: number | null;
            /**
             * @description What wallets multiply amounts of this token with now. Null where the token has no multiplier, as most.
             * @example null
             */
            ui_multiplier: string | null;
            /**
             * @description What wallets show: `total` times `ui_multiplier`, cut off after the decimals of the token. For people; amounts that move are without it. Null where `ui_multiplier` or `decimals` is.
             * @example null
             */
            ui_amount: string | null;
            /**
             * @description In blocks with the confirmations that the chain requires. Null while no balance was read in such a block.
             * @example 1.5
             */
            confirmed: string | null;
            /**
             * @description What newer blocks changed; below zero where they spent. Null where `confirmed` is.
             * @example 0
             */
            unconfirmed: string | null;
            /**
             * @description `total` without `immature`: the next block may spend it. Pending transactions are not deducted. Outside Bitcoin equal to `total`.
             * @example 1.5
             */
            spendable: string | null;
            /**
             * @description `spendable` in base units.
             * @example 1500000000000000000
             */
            spendable_raw: string;
            /**
             * @description Coinbase outputs (block rewards) of Bitcoin that the next block may not spend yet. Outside Bitcoin 0.
             * @example 0
             */
            immature: string | null;
            /**
             * @description `immature` in base units.
             * @example 0
             */
            immature_raw: string;
            /**
             * @description What pending transactions pay to the address, its own change included; no part of the total.
             * @example 0
             */
            pending_in: string | null;
            /**
             * @description What pending transactions take from the address.
             * @example 0
             */
            pending_out: string | null;
            /**
             * @description When the chain was asked for this balance last, or later: rounds read all balances again. On Bitcoin when its coins were compared with those of a node; null before that, and while no node tells the coins of an address.
             * @example 2026-11-28T09:00:00.000Z
             */
            checked_at: string | null;
        };
        BalanceDetailsList: {
            /** @description By asset. */
            items: components["schemas"]["BalanceDetails"][];
        };
        BalanceReading: {
            /**
             * @description The chain.
             * @example eip155:1
             */
            chain_gid: string;
            /**
             * @description The asset as CAIP-19.
             * @example eip155:1/slip44:60
             */
            asset_gid: string;
            /**
             * Format: int64
             * @description The block after which it was so.
             * @example 21000000
             */
            block_number: number;
            /**
             * @description Its hash.
             * @example 0xabababababababababababababababababababababababababababababababab
             */
            block_hash: string;
            /**
             * @description In whole units, an exact decimal. Null while the decimals of the token are not known.
             * @example 1.5
             */
            balance: string | null;
            /**
             * @description In base units.
             * @example 1500000000000000000
             */
            balance_raw: string;
            /**
             * @description What no transaction explains of the change since the reading before, in base units; below zero where the balance fell. Null where everything is explained.
             * @example null
             */
            adjustment_raw: string | null;
        };
        BalanceReadingPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["BalanceReading"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        Adjustment: {
            /**
             * Format: uuid
             * @description Its id.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description The chain.
             * @example eip155:1
             */
            chain_gid: string;
            /**
             * @description The asset as CAIP-19.
             * @example eip155:1/slip44:60
             */
            asset_gid: string;
            /**
             * @description What the balance changed by, in whole units; below zero where it fell. Null while the decimals of the token are not known.
             * @example 0.5
             */
            amount: string | null;
            /**
             * @description `amount` in base units.
             * @example 500000000000000000
             */
            amount_raw: string;
            /**
             * Format: int64
             * @description It happened after this block,
             * @example 20999000
             */
            since_block: number;
            /**
             * Format: int64
             * @description and up to this one, whose state shows it.
             * @example 21000000
             */
            until_block: number;
            /**
             * @description The hash of `until_block`.
             * @example 0xabababababababababababababababababababababababababababababababab
             */
            block_hash: string;
            /**
             * @description Whether `until_block` is final.
             * @example true
             */
            is_confirmed: boolean;
            /**
             * Format: date-time
             * @description When it was found.
             * @example 2026-11-28T09:00:00.000Z
             */
            created_at: string;
        };
        AdjustmentPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Adjustment"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        Utxo: {
            /**
             * @description The transaction that created it.
             * @example 4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b
             */
            txid: string;
            /**
             * Format: int64
             * @description Its position among the outputs of the transaction.
             * @example 0
             */
            vout: number;
            /**
             * @description In whole units.
             * @example 0.5
             */
            amount: string;
            /**
             * @description In base units.
             * @example 50000000
             */
            amount_raw: string;
            /**
             * @description The asset as CAIP-19.
             * @example bip122:000000000019d6689c085ae165831e93/slip44:0
             */
            asset_gid: string;
            /**
             * @description The chain as CAIP-2.
             * @example bip122:000000000019d6689c085ae165831e93
             */
            chain_gid: string;
            /**
             * Format: int64
             * @description Height of its block.
             * @example 870000
             */
            block_number: number;
            /** @description Whether it is the reward of a block. */
            is_coinbase: boolean;
            /**
             * Format: int64
             * @description Blocks on top of it, its own included.
             * @example 6
             */
            confirmations: number;
            /** @description Whether it may be spent: coinbase outputs have to wait. */
            is_mature: boolean;
        };
        UtxoPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Utxo"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        /** @description A transaction of monitored addresses of the project. */
        Transaction: {
            /**
             * Format: uuid
             * @description Of this transaction in this project; the same after a reorg.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description The chain as CAIP-2.
             * @example eip155:1
             */
            chain_gid: string;
            /**
             * @description The transaction hash (Bitcoin: txid, Solana: signature), as the chain writes it.
             * @example 0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060
             */
            hash: string;
            /**
             * @description `pending`: in the mempool; `detected`: in a block; `confirmed`: in a block that is final by the policy of the project or else of the chain; `reorged`: its block left the chain; `failed`: in a block, but it moved nothing.
             * @enum {string}
             */
            status: "pending" | "detected" | "confirmed" | "reorged" | "failed";
            /**
             * @description As the monitored addresses see it: `self` where they are on both sides.
             * @enum {string}
             */
            direction: "in" | "out" | "self";
            /**
             * @description Height of its block, on Solana the slot. Null while pending.
             * @example 21000000
             */
            block_number: number | null;
            /**
             * @description Hash of its block. Null while pending.
             * @example 0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3
             */
            block_hash: string | null;
            /**
             * @description When its block says that it was made. Null while pending.
             * @example 2026-01-01T00:00:00.000Z
             */
            block_timestamp: string | null;
            /**
             * @description Position in its block, from 0. Null while pending.
             * @example 7
             */
            tx_index: number | null;
            /**
             * Format: int64
             * @description Blocks that hold it, its own included; 0 while pending or reorged.
             * @example 1
             */
            confirmations: number;
            /**
             * Format: int64
             * @description Confirmations after which it counts as `confirmed`, fixed when it was detected. Where the project has no policy of a depth and the chain tells its own finality, that decides.
             * @example 12
             */
            required_confirmations: number;
            /** @description What the sender paid for it. Null where there is none and, on UTXO chains, where an input is spent that no watched address owned: its amount is not known. */
            fee: {
                /**
                 * @description The asset as CAIP-19.
                 * @example eip155:1/slip44:60
                 */
                asset_gid: string;
                /**
                 * @description In whole units of the asset. Null while the decimals of a token that pays the fee are not known.
                 * @example 0.00042
                 */
                amount: string | null;
                /**
                 * @description In base units of the asset.
                 * @example 420000000000000
                 */
                amount_raw: string;
            } | null;
            /**
             * @description What the sender wrote into it: the data of a TRON transaction, instructions of the memo program on Solana, OP_RETURN outputs on Bitcoin, the memos of its `transfers` on EVM chains; several are lines. Null where there is none, and where it is no printable UTF-8 or has more than 1,024 bytes.
             * @default null
             * @example order 1042
             */
            memo: string | null;
            /**
             * @description For a coinbase transaction (block reward of Bitcoin): the first block whose transactions may spend its outputs. `confirmed` does not imply it. Null for any other transaction, and once the block left the chain.
             * @default null
             * @example null
             */
            matures_at_block: number | null;
            /** @description What it moved from or to monitored addresses, by `index`. */
            transfers: components["schemas"]["Transfer"][];
            /**
             * @description Hash of the transaction that spends the same outputs in its place (RBF). Null otherwise.
             * @example null
             */
            replaced_by: string | null;
            /**
             * @description What stands behind the transaction. `proved`: recomputed against the block header. `agreed`: nodes of different operators give the same. `attested`: the chain offers no proof, one node states it. `settling`: a later block brings the proof; the transaction is not confirmed before. `trusted`: the operator of this service vouches for it. `unproved`: the proof is missing; the transaction is confirmed once another node agrees, the proof arrives, or the operator vouches. Null in test messages. Treat an unknown value like `unproved`.
             * @default proved
             * @example proved
             */
            verification: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved") | null;
            /**
             * Format: date-time
             * @description When the service first saw it.
             * @example 2026-01-01T00:00:01.000Z
             */
            detected_at: string;
            /**
             * @description When it was confirmed. Null before.
             * @example null
             */
            confirmed_at: string | null;
            /**
             * @description When its block left the chain. Null otherwise.
             * @example null
             */
            reorged_at: string | null;
        };
        /** @description One movement of one asset within a transaction. */
        Transfer: {
            /**
             * Format: int64
             * @description Position in the transaction, from 0; on UTXO chains the inputs come first, then the outputs.
             * @example 0
             */
            index: number;
            /**
             * @description `native`: the coin that the transaction itself moves; `token`: a transfer that a token tells; `internal`: a coin that a contract moved; `nft`: a token of a collection, which is no amount.
             * @enum {string}
             */
            type: "native" | "token" | "internal" | "nft";
            /**
             * @description The asset as CAIP-19.
             * @example eip155:1/slip44:60
             */
            asset_gid: string;
            /**
             * @description Sender in its display form. Null where the source is no account: coinbases and mints, and every output of a UTXO transaction.
             * @example 0x742d35Cc6634C0532925a3b844Bc454e4438f44e
             */
            from: string | null;
            /**
             * @description Receiver in its display form. Null for every input of a UTXO transaction.
             * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
             */
            to: string | null;
            /**
             * @description In whole units of the asset, an exact decimal. Null while the decimals of the token are not known, and for an `nft`.
             * @example 1.5
             */
            amount: string | null;
            /**
             * @description In base units of the asset (wei, satoshi, lamport, sun), an integer. `0` for an `nft`.
             * @example 1500000000000000000
             */
            amount_raw: string;
            /**
             * @description Decimal places between base and whole units. Null while they are not known.
             * @example 18
             */
            decimals: number | null;
            /**
             * @description Position of the log in the block, for token transfers of EVM and TRON chains.
             * @example null
             */
            log_index: number | null;
            /**
             * @description What the sender wrote to this transfer of a token with memos (B20, CAS20, TIP-20): text without the zero bytes behind it, or `0x` and 64 digits where it is no printable UTF-8. Null where there is none.
             * @default null
             * @example null
             */
            memo: string | null;
            /**
             * @description Addresses of the project among `from` and `to`, in their display form. Empty for an output of a UTXO transaction that pays somebody else out of an output of the project.
             * @example [
             *       "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
             *     ]
             */
            monitored_addresses: string[];
        };
        TransactionPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Transaction"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        Proof: {
            /**
             * @description How the block covers the transaction. `mpt`: two Merkle-Patricia tries, of transactions and of receipts. `merkle`: a binary tree, with the branch of the coinbase. `signed_merkle`: a binary tree under a header that its producer signed. `none`: not at all; `reason` says why. New types may be added: treat an unknown one as `none`.
             * @example mpt
             * @enum {string}
             */
            type: "mpt" | "merkle" | "signed_merkle" | "none";
            /**
             * @description The chain as CAIP-2.
             * @example eip155:1
             */
            chain_gid: string;
            /**
             * @description The hash of the transaction.
             * @example 0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c
             */
            hash: string;
            /**
             * @description The hash of the block. Take it from a second source before you believe the proof.
             * @example 0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f
             */
            block_hash: string;
            /**
             * Format: int64
             * @description The number of the block.
             * @example 21000000
             */
            block_number: number;
            /**
             * @description The bytes that the block hash covers, hexadecimal.
             * @example 0xf90260a0…
             */
            header: string | null;
            /**
             * @description Of the producer, over SHA-256 of the header.
             * @example 6ac1…01
             */
            signature?: string;
            /** @description What leads from the transaction to the header. */
            branch: {
                /**
                 * @description From the root to the value (`mpt`: nodes), or siblings from the leaf up, null where a level has none.
                 * @example [
                 *       "abababababababababababababababababababababababababababababababab"
                 *     ]
                 */
                transaction: (string | null)[];
                /**
                 * @description Nodes of the trie of receipts, from the root.
                 * @example [
                 *       "abababababababababababababababababababababababababababababababab"
                 *     ]
                 */
                receipt?: (string | null)[];
                /**
                 * @description Siblings of the coinbase, which show the depth of the tree.
                 * @example [
                 *       "abababababababababababababababababababababababababababababababab"
                 *     ]
                 */
                coinbase?: (string | null)[];
            } | null;
            /** @description What is shown to be in the block. */
            item: {
                /**
                 * Format: int64
                 * @description The position in the block, from 0.
                 * @example 12
                 */
                index: number;
                /**
                 * @description The bytes of the transaction, hexadecimal.
                 * @example 0x02f873…
                 */
                transaction: string;
                /**
                 * @description The bytes of the receipt.
                 * @example 0x02f90108…
                 */
                receipt?: string;
                /**
                 * @description The bytes of the coinbase.
                 * @example 0100000001…
                 */
                coinbase?: string;
            } | null;
            /**
             * @description Why there is no proof; null where there is one.
             * @example null
             */
            reason: string | null;
            /**
             * @description With `none`: the signatures of the transaction.
             * @example [
             *       "5gri…"
             *     ]
             */
            signatures?: string[];
            /** @description How far the chain has confirmed the block. This is our word, no part of the proof. */
            finality: {
                /**
                 * @description `pending`: in the mempool; `detected`: in a block; `confirmed`: in a block that is final by the policy of the project or else of the chain; `reorged`: its block left the chain; `failed`: in a block, but it moved nothing.
                 * @enum {string}
                 */
                status: "pending" | "detected" | "confirmed" | "reorged" | "failed";
                /**
                 * Format: int64
                 * @description Blocks that hold it, its own included; 0 while pending or reorged.
                 * @example 1
                 */
                confirmations: number;
                /**
                 * Format: int64
                 * @description Confirmations after which it counts as `confirmed`, fixed when it was detected. Where the project has no policy of a depth and the chain tells its own finality, that decides.
                 * @example 12
                 */
                required_confirmations: number;
            };
        };
        /** @description When transactions of the project are confirmed on a chain. */
        ConfirmationPolicy: {
            /**
             * @description The chain as CAIP-2.
             * @example eip155:1
             */
            chain_gid: string;
            /**
             * @description `depth`: confirmed after `depth` confirmations; `finalized`: when the block is final by the rule of the chain itself.
             * @enum {string}
             */
            type: "depth" | "finalized";
            /**
             * @description Confirmations that are waited for. Null with `finalized`.
             * @example 20
             */
            depth: number | null;
            /**
             * Format: int64
             * @description What transactions that are detected from now on show as `required_confirmations`.
             * @example 20
             */
            required_confirmations: number;
            /**
             * @description Whether it waits for fewer confirmations than the chain has by default.
             * @example false
             */
            is_unsafe: boolean;
            /** @description What holds without a policy. */
            chain_default: {
                /**
                 * @description `finalized`: what the node says, and `depth` where it does not; `depth`: that alone.
                 * @enum {string}
                 */
                type: "depth" | "finalized";
                /**
                 * Format: int64
                 * @description Confirmations.
                 * @example 12
                 */
                depth: number;
            };
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
        };
        ConfirmationPolicyPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["ConfirmationPolicy"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        DepthPolicyInput: {
            /**
             * @description Confirmed after so many blocks, whatever the chain says of finality. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "depth";
            /**
             * Format: int32
             * @description Confirmations, the block of the transaction included.
             * @example 20
             */
            depth: number;
            /**
             * @description Needed for fewer confirmations than the chain has by default: a reorg may undo what was confirmed, and `transaction.reorged` then says so.
             * @example false
             */
            unsafe?: boolean;
        };
        FinalizedPolicyInput: {
            /**
             * @description Confirmed when the block is final by the rule of the chain itself. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "finalized";
        };
        SetConfirmationPolicyInput: components["schemas"]["DepthPolicyInput"] | components["schemas"]["FinalizedPolicyInput"];
        EventItem: components["schemas"]["TransactionDetectedEventItem"] | components["schemas"]["TransactionProgressEventItem"] | components["schemas"]["TransactionConfirmedEventItem"] | components["schemas"]["TransactionReorgedEventItem"] | components["schemas"]["TransactionFailedEventItem"] | components["schemas"]["BalanceChangedEventItem"] | components["schemas"]["ChannelFailedEventItem"];
        /** @description A transaction that touches a monitored address was seen, in the mempool or in a block. */
        TransactionDetectedEventItem: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "transaction.detected";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What happened. */
            data: {
                /** @description The transaction as it was when the event was made. */
                transaction: components["schemas"]["Transaction"];
                /** @description One for each monitored address and asset; the first 100. */
                balance_changes: components["schemas"]["BalanceChange"][];
                /**
                 * @description Each monitored address that the event concerns, once; the first 100, and at most 256 KiB besides their metadata.
                 * @default []
                 */
                addresses: components["schemas"]["ConcernedAddress"][];
                /**
                 * @description True where transfers, balance changes or addresses were left out because there are too many; `GET /transactions/{id}` has all transfers. Filters of channels let the event pass where what was left out may agree with them.
                 * @example false
                 */
                truncated: boolean;
                /**
                 * @description True where addresses were left out. Absent otherwise.
                 * @example true
                 */
                addresses_truncated?: boolean;
            };
            /**
             * @description Grows in the order in which the project's events became visible; gaps mean nothing. Null for a moment after the event was made.
             * @example 18231
             */
            position: number | null;
        };
        /** @description What the transaction did to one monitored address: its transfers and, for the sender, the fee. */
        BalanceChange: {
            /**
             * Format: uuid
             * @description The monitored address, as `id` in `/addresses`.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            address_id: string;
            /**
             * @description The address in its display form (EVM: EIP-55), as in `/addresses`.
             * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
             */
            address: string;
            /**
             * @description The asset as CAIP-19.
             * @example eip155:1/slip44:60
             */
            asset_gid: string;
            /**
             * @description Signed, in whole units of the asset. Null while the decimals of the token are not known.
             * @example 1.5
             */
            delta: string | null;
            /**
             * @description Signed, in base units of the asset.
             * @example 1500000000000000000
             */
            delta_raw: string;
        };
        /** @description A monitored address of the project that the event concerns, with what its user said of it when the event was made. One that was deleted since the transaction was told has its groups alone. */
        ConcernedAddress: {
            /**
             * Format: uuid
             * @description The monitored address, as `id` in `/addresses`.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            address_id: string;
            /**
             * @description The address in its display form (EVM: EIP-55), as in `/addresses`.
             * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
             */
            address: string;
            /**
             * @description As its user calls it.
             * @example Order 1042
             */
            label: string | null;
            /**
             * @description Groups that its user put it into.
             * @example [
             *       "shop-7"
             *     ]
             */
            groups: string[];
            /**
             * @description JSON of its user, given back as it came; empty where `metadata_truncated` says that it is left out.
             * @example {
             *       "customer_id": "1042"
             *     }
             */
            metadata: {
                [key: string]: unknown;
            };
            /**
             * @description True where the metadata is left out: it has more than 4 KiB, or that of all addresses of the event more than 64 KiB, and `GET /addresses/{address}` has it; or the address was deleted.
             * @example false
             */
            metadata_truncated: boolean;
        };
        /** @description Such a transaction has more confirmations (`confirmations` of `required_confirmations`): at most once per block, and only the newest number where the chain was behind. It is made only while a channel of the project asks for it, for at most 200 transactions of a project and block. */
        TransactionProgressEventItem: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "transaction.progress";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What happened. */
            data: {
                /** @description The transaction as it was when the event was made. */
                transaction: components["schemas"]["Transaction"];
                /** @description One for each monitored address and asset; the first 100. */
                balance_changes: components["schemas"]["BalanceChange"][];
                /**
                 * @description Each monitored address that the event concerns, once; the first 100, and at most 256 KiB besides their metadata.
                 * @default []
                 */
                addresses: components["schemas"]["ConcernedAddress"][];
                /**
                 * @description True where transfers, balance changes or addresses were left out because there are too many; `GET /transactions/{id}` has all transfers. Filters of channels let the event pass where what was left out may agree with them.
                 * @example false
                 */
                truncated: boolean;
                /**
                 * @description True where addresses were left out. Absent otherwise.
                 * @example true
                 */
                addresses_truncated?: boolean;
            };
            /**
             * @description Grows in the order in which the project's events became visible; gaps mean nothing. Null for a moment after the event was made.
             * @example 18231
             */
            position: number | null;
        };
        /** @description Such a transaction was confirmed: its block is final, or it has the confirmations that the project waits for. */
        TransactionConfirmedEventItem: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "transaction.confirmed";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What happened. */
            data: {
                /** @description The transaction as it was when the event was made. */
                transaction: components["schemas"]["Transaction"];
                /** @description One for each monitored address and asset; the first 100. */
                balance_changes: components["schemas"]["BalanceChange"][];
                /**
                 * @description Each monitored address that the event concerns, once; the first 100, and at most 256 KiB besides their metadata.
                 * @default []
                 */
                addresses: components["schemas"]["ConcernedAddress"][];
                /**
                 * @description True where transfers, balance changes or addresses were left out because there are too many; `GET /transactions/{id}` has all transfers. Filters of channels let the event pass where what was left out may agree with them.
                 * @example false
                 */
                truncated: boolean;
                /**
                 * @description True where addresses were left out. Absent otherwise.
                 * @example true
                 */
                addresses_truncated?: boolean;
            };
            /**
             * @description Grows in the order in which the project's events became visible; gaps mean nothing. Null for a moment after the event was made.
             * @example 18231
             */
            position: number | null;
        };
        /** @description The block of such a transaction left the chain: undo what was done for it. */
        TransactionReorgedEventItem: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "transaction.reorged";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What happened. */
            data: {
                /** @description The transaction as it was when the event was made. */
                transaction: components["schemas"]["Transaction"];
                /** @description One for each monitored address and asset; the first 100. */
                balance_changes: components["schemas"]["BalanceChange"][];
                /**
                 * @description Each monitored address that the event concerns, once; the first 100, and at most 256 KiB besides their metadata.
                 * @default []
                 */
                addresses: components["schemas"]["ConcernedAddress"][];
                /**
                 * @description True where transfers, balance changes or addresses were left out because there are too many; `GET /transactions/{id}` has all transfers. Filters of channels let the event pass where what was left out may agree with them.
                 * @example false
                 */
                truncated: boolean;
                /**
                 * @description True where addresses were left out. Absent otherwise.
                 * @example true
                 */
                addresses_truncated?: boolean;
            };
            /**
             * @description Grows in the order in which the project's events became visible; gaps mean nothing. Null for a moment after the event was made.
             * @example 18231
             */
            position: number | null;
        };
        /** @description A transaction of a monitored address failed: it moved nothing but its fee. */
        TransactionFailedEventItem: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "transaction.failed";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What happened. */
            data: {
                /** @description The transaction as it was when the event was made. */
                transaction: components["schemas"]["Transaction"];
                /** @description One for each monitored address and asset; the first 100. */
                balance_changes: components["schemas"]["BalanceChange"][];
                /**
                 * @description Each monitored address that the event concerns, once; the first 100, and at most 256 KiB besides their metadata.
                 * @default []
                 */
                addresses: components["schemas"]["ConcernedAddress"][];
                /**
                 * @description True where transfers, balance changes or addresses were left out because there are too many; `GET /transactions/{id}` has all transfers. Filters of channels let the event pass where what was left out may agree with them.
                 * @example false
                 */
                truncated: boolean;
                /**
                 * @description True where addresses were left out. Absent otherwise.
                 * @example true
                 */
                addresses_truncated?: boolean;
            };
            /**
             * @description Grows in the order in which the project's events became visible; gaps mean nothing. Null for a moment after the event was made.
             * @example 18231
             */
            position: number | null;
        };
        /** @description A monitored address has a new balance. */
        BalanceChangedEventItem: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "balance.changed";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What the chain now says of one address and asset. */
            data: {
                /**
                 * Format: uuid
                 * @description The monitored address, as `id` in `/addresses`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                address_id: string;
                /**
                 * @description The address in its display form (EVM: EIP-55), as in `/addresses`.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
                /**
                 * @description The asset as CAIP-19.
                 * @example eip155:1/slip44:60
                 */
                asset_gid: string;
                /**
                 * @description Balance before, in whole units. Null where none was known, and while the decimals of the token are not known.
                 * @example 0
                 */
                previous: string | null;
                /**
                 * @description Balance at the block, in whole units, as the chain states it. Null while the decimals of the token are not known.
                 * @example 1.5
                 */
                current: string | null;
                /**
                 * @description `current` less `previous`, in whole units. Null where one of them is.
                 * @example 1.5
                 */
                delta: string | null;
                /**
                 * @description `current` in base units. Absent in events of earlier releases.
                 * @example 1500000000000000000
                 */
                current_raw?: string;
                /**
                 * @description `delta` in base units. Null where no balance before was known, absent in events of earlier releases.
                 * @example 1500000000000000000
                 */
                delta_raw?: string | null;
                /**
                 * @description Why it changed, each reason once: adds up to `delta`. What a reorganisation undid is taken back under the reason that it was told with. Where `delta` is null, what is known of the block; empty where nothing is. Absent in events of earlier releases.
                 * @example [
                 *       {
                 *         "reason": "withdrawal",
                 *         "amount": "1.5",
                 *         "amount_raw": "1500000000000000000"
                 *       }
                 *     ]
                 */
                changes?: {
                    /**
                     * @description `transfer` and `fee`: transactions, which have events of their own. The others are told nowhere else. `withdrawal`: of a validator. `reward`: of a block, or minted with it. `mint`: a deposit from another chain. `atomic`: an import or export between chains of Avalanche. `staking_reward`, `stake_withdrawal`: of a stake. `adjustment`: nothing explains it (rebasing tokens, fees that a block pays to its producer, transfers that a node without traces hides). Treat an unknown value like `adjustment`.
                     * @example withdrawal
                     * @enum {string}
                     */
                    reason: "transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment";
                    /**
                     * @description In whole units, signed. Null while the decimals of the asset are not known.
                     * @example 1.5
                     */
                    amount: string | null;
                    /**
                     * @description The same in base units.
                     * @example 1500000000000000000
                     */
                    amount_raw: string;
                    /**
                     * Format: int64
                     * @description Of an adjustment: it happened after this block.
                     * @example 20999990
                     */
                    since_block?: number;
                    /**
                     * Format: int64
                     * @description Of an adjustment: it happened up to this block.
                     * @example 21000000
                     */
                    until_block?: number;
                }[];
                /**
                 * Format: int64
                 * @description Block at which the balance was read.
                 * @example 21000000
                 */
                block_number: number;
                /**
                 * @description Hash of that block.
                 * @example 0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3
                 */
                block_hash: string;
                /**
                 * @description Whether that block is final.
                 * @example false
                 */
                is_confirmed: boolean;
                /**
                 * @description What stands behind the balance. `proved`: the sum of proved coins, on chains of unspent outputs. `attested`: a node states it, on all other chains; on chains of unspent outputs, an adjustment. `unproved`: a node states it, and only what is unproved explains it. Null in test messages, absent in events of earlier releases. Treat an unknown value like `unproved`.
                 * @example attested
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved") | null;
                /**
                 * @description Each monitored address that the event concerns, once; the first 100, and at most 256 KiB besides their metadata.
                 * @default []
                 */
                addresses: components["schemas"]["ConcernedAddress"][];
            };
            /**
             * @description Grows in the order in which the project's events became visible; gaps mean nothing. Null for a moment after the event was made.
             * @example 18231
             */
            position: number | null;
        };
        /** @description A notification channel of the project was given up. */
        ChannelFailedEventItem: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "channel.failed";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What happened. */
            data: {
                /** @description The channel that failed. */
                channel: {
                    /**
                     * Format: uuid
                     * @description Of the channel.
                     * @example 6f1d1f4e-0000-4000-8000-000000000001
                     */
                    id: string;
                    /**
                     * @description Of the channel.
                     * @example webhook
                     */
                    kind: string;
                    /**
                     * @description As its user called it.
                     * @example Payments
                     */
                    name: string;
                    /**
                     * Format: date-time
                     * @description When the service gave it up.
                     * @example 2026-01-01T00:00:00.000Z
                     */
                    failed_at: string;
                    /**
                     * @description Why, for people.
                     * @example the receiver answered 410 Gone
                     */
                    failure_reason: string;
                };
            };
            /**
             * @description Grows in the order in which the project's events became visible; gaps mean nothing. Null for a moment after the event was made.
             * @example 18231
             */
            position: number | null;
        };
        /** @description Position and size of the list of events. */
        EventPageMeta: {
            /**
             * Format: int32
             * @description Items a page.
             * @example 20
             */
            limit: number;
            /**
             * Format: int64
             * @description Which page this is, from 1.
             * @example 1
             */
            page: number;
            /**
             * Format: int64
             * @description Items on all pages.
             * @example 1
             */
            total: number;
            /**
             * Format: int64
             * @description How many pages there are.
             * @example 1
             */
            total_pages: number;
            /**
             * @description The `cursor` of the next page; absent on the last one.
             * @example v1.main.3q2-7wAA
             */
            next_cursor?: string;
            /**
             * Format: int64
             * @description With `after`: everything up to here was read, what the filters kept back included.
             * @example 18240
             */
            last_position?: number;
            /**
             * @description With `after`: whether there is more behind `last_position` already. `total` counts the answer alone: nobody counts what is still to be read.
             * @example false
             */
            has_more?: boolean;
        };
        EventItemPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["EventItem"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["EventPageMeta"];
        };
        Event: components["schemas"]["TransactionDetectedEvent"] | components["schemas"]["TransactionProgressEvent"] | components["schemas"]["TransactionConfirmedEvent"] | components["schemas"]["TransactionReorgedEvent"] | components["schemas"]["TransactionFailedEvent"] | components["schemas"]["BalanceChangedEvent"] | components["schemas"]["ChannelFailedEvent"];
        /** @description A transaction that touches a monitored address was seen, in the mempool or in a block. */
        TransactionDetectedEvent: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "transaction.detected";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What happened. */
            data: {
                /** @description The transaction as it was when the event was made. */
                transaction: components["schemas"]["Transaction"];
                /** @description One for each monitored address and asset; the first 100. */
                balance_changes: components["schemas"]["BalanceChange"][];
                /**
                 * @description Each monitored address that the event concerns, once; the first 100, and at most 256 KiB besides their metadata.
                 * @default []
                 */
                addresses: components["schemas"]["ConcernedAddress"][];
                /**
                 * @description True where transfers, balance changes or addresses were left out because there are too many; `GET /transactions/{id}` has all transfers. Filters of channels let the event pass where what was left out may agree with them.
                 * @example false
                 */
                truncated: boolean;
                /**
                 * @description True where addresses were left out. Absent otherwise.
                 * @example true
                 */
                addresses_truncated?: boolean;
            };
        };
        /** @description Such a transaction has more confirmations (`confirmations` of `required_confirmations`): at most once per block, and only the newest number where the chain was behind. It is made only while a channel of the project asks for it, for at most 200 transactions of a project and block. */
        TransactionProgressEvent: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "transaction.progress";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What happened. */
            data: {
                /** @description The transaction as it was when the event was made. */
                transaction: components["schemas"]["Transaction"];
                /** @description One for each monitored address and asset; the first 100. */
                balance_changes: components["schemas"]["BalanceChange"][];
                /**
                 * @description Each monitored address that the event concerns, once; the first 100, and at most 256 KiB besides their metadata.
                 * @default []
                 */
                addresses: components["schemas"]["ConcernedAddress"][];
                /**
                 * @description True where transfers, balance changes or addresses were left out because there are too many; `GET /transactions/{id}` has all transfers. Filters of channels let the event pass where what was left out may agree with them.
                 * @example false
                 */
                truncated: boolean;
                /**
                 * @description True where addresses were left out. Absent otherwise.
                 * @example true
                 */
                addresses_truncated?: boolean;
            };
        };
        /** @description Such a transaction was confirmed: its block is final, or it has the confirmations that the project waits for. */
        TransactionConfirmedEvent: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "transaction.confirmed";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What happened. */
            data: {
                /** @description The transaction as it was when the event was made. */
                transaction: components["schemas"]["Transaction"];
                /** @description One for each monitored address and asset; the first 100. */
                balance_changes: components["schemas"]["BalanceChange"][];
                /**
                 * @description Each monitored address that the event concerns, once; the first 100, and at most 256 KiB besides their metadata.
                 * @default []
                 */
                addresses: components["schemas"]["ConcernedAddress"][];
                /**
                 * @description True where transfers, balance changes or addresses were left out because there are too many; `GET /transactions/{id}` has all transfers. Filters of channels let the event pass where what was left out may agree with them.
                 * @example false
                 */
                truncated: boolean;
                /**
                 * @description True where addresses were left out. Absent otherwise.
                 * @example true
                 */
                addresses_truncated?: boolean;
            };
        };
        /** @description The block of such a transaction left the chain: undo what was done for it. */
        TransactionReorgedEvent: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "transaction.reorged";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What happened. */
            data: {
                /** @description The transaction as it was when the event was made. */
                transaction: components["schemas"]["Transaction"];
                /** @description One for each monitored address and asset; the first 100. */
                balance_changes: components["schemas"]["BalanceChange"][];
                /**
                 * @description Each monitored address that the event concerns, once; the first 100, and at most 256 KiB besides their metadata.
                 * @default []
                 */
                addresses: components["schemas"]["ConcernedAddress"][];
                /**
                 * @description True where transfers, balance changes or addresses were left out because there are too many; `GET /transactions/{id}` has all transfers. Filters of channels let the event pass where what was left out may agree with them.
                 * @example false
                 */
                truncated: boolean;
                /**
                 * @description True where addresses were left out. Absent otherwise.
                 * @example true
                 */
                addresses_truncated?: boolean;
            };
        };
        /** @description A transaction of a monitored address failed: it moved nothing but its fee. */
        TransactionFailedEvent: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "transaction.failed";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What happened. */
            data: {
                /** @description The transaction as it was when the event was made. */
                transaction: components["schemas"]["Transaction"];
                /** @description One for each monitored address and asset; the first 100. */
                balance_changes: components["schemas"]["BalanceChange"][];
                /**
                 * @description Each monitored address that the event concerns, once; the first 100, and at most 256 KiB besides their metadata.
                 * @default []
                 */
                addresses: components["schemas"]["ConcernedAddress"][];
                /**
                 * @description True where transfers, balance changes or addresses were left out because there are too many; `GET /transactions/{id}` has all transfers. Filters of channels let the event pass where what was left out may agree with them.
                 * @example false
                 */
                truncated: boolean;
                /**
                 * @description True where addresses were left out. Absent otherwise.
                 * @example true
                 */
                addresses_truncated?: boolean;
            };
        };
        /** @description A monitored address has a new balance. */
        BalanceChangedEvent: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "balance.changed";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What the chain now says of one address and asset. */
            data: {
                /**
                 * Format: uuid
                 * @description The monitored address, as `id` in `/addresses`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                address_id: string;
                /**
                 * @description The address in its display form (EVM: EIP-55), as in `/addresses`.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
                /**
                 * @description The asset as CAIP-19.
                 * @example eip155:1/slip44:60
                 */
                asset_gid: string;
                /**
                 * @description Balance before, in whole units. Null where none was known, and while the decimals of the token are not known.
                 * @example 0
                 */
                previous: string | null;
                /**
                 * @description Balance at the block, in whole units, as the chain states it. Null while the decimals of the token are not known.
                 * @example 1.5
                 */
                current: string | null;
                /**
                 * @description `current` less `previous`, in whole units. Null where one of them is.
                 * @example 1.5
                 */
                delta: string | null;
                /**
                 * @description `current` in base units. Absent in events of earlier releases.
                 * @example 1500000000000000000
                 */
                current_raw?: string;
                /**
                 * @description `delta` in base units. Null where no balance before was known, absent in events of earlier releases.
                 * @example 1500000000000000000
                 */
                delta_raw?: string | null;
                /**
                 * @description Why it changed, each reason once: adds up to `delta`. What a reorganisation undid is taken back under the reason that it was told with. Where `delta` is null, what is known of the block; empty where nothing is. Absent in events of earlier releases.
                 * @example [
                 *       {
                 *         "reason": "withdrawal",
                 *         "amount": "1.5",
                 *         "amount_raw": "1500000000000000000"
                 *       }
                 *     ]
                 */
                changes?: {
                    /**
                     * @description `transfer` and `fee`: transactions, which have events of their own. The others are told nowhere else. `withdrawal`: of a validator. `reward`: of a block, or minted with it. `mint`: a deposit from another chain. `atomic`: an import or export between chains of Avalanche. `staking_reward`, `stake_withdrawal`: of a stake. `adjustment`: nothing explains it (rebasing tokens, fees that a block pays to its producer, transfers that a node without traces hides). Treat an unknown value like `adjustment`.
                     * @example withdrawal
                     * @enum {string}
                     */
                    reason: "transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment";
                    /**
                     * @description In whole units, signed. Null while the decimals of the asset are not known.
                     * @example 1.5
                     */
                    amount: string | null;
                    /**
                     * @description The same in base units.
                     * @example 1500000000000000000
                     */
                    amount_raw: string;
                    /**
                     * Format: int64
                     * @description Of an adjustment: it happened after this block.
                     * @example 20999990
                     */
                    since_block?: number;
                    /**
                     * Format: int64
                     * @description Of an adjustment: it happened up to this block.
                     * @example 21000000
                     */
                    until_block?: number;
                }[];
                /**
                 * Format: int64
                 * @description Block at which the balance was read.
                 * @example 21000000
                 */
                block_number: number;
                /**
                 * @description Hash of that block.
                 * @example 0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3
                 */
                block_hash: string;
                /**
                 * @description Whether that block is final.
                 * @example false
                 */
                is_confirmed: boolean;
                /**
                 * @description What stands behind the balance. `proved`: the sum of proved coins, on chains of unspent outputs. `attested`: a node states it, on all other chains; on chains of unspent outputs, an adjustment. `unproved`: a node states it, and only what is unproved explains it. Null in test messages, absent in events of earlier releases. Treat an unknown value like `unproved`.
                 * @example attested
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved") | null;
                /**
                 * @description Each monitored address that the event concerns, once; the first 100, and at most 256 KiB besides their metadata.
                 * @default []
                 */
                addresses: components["schemas"]["ConcernedAddress"][];
            };
        };
        /** @description A notification channel of the project was given up. */
        ChannelFailedEvent: {
            /**
             * Format: uuid
             * @description UUIDv5 of what happened: the same in every attempt and on every channel. Drop what you have seen.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description What happened. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "channel.failed";
            /**
             * @description Version of this envelope; it only gains members.
             * @constant
             */
            api_version: "v1";
            /**
             * Format: date-time
             * @description When the event was made.
             * @example 2026-01-01T00:00:01.000Z
             */
            created_at: string;
            /**
             * @description True for what `actions/test` sends: nothing happened.
             * @example false
             */
            is_test_message: boolean;
            /**
             * Format: uuid
             * @description The project that the address belongs to.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string;
            /**
             * @description Grows by one per project and chain; 0 for what is of no chain and for test messages, null where `is_historical`.
             * @example 18231
             */
            sequence: number | null;
            /**
             * @description Present where a transaction was final before its address was watched, and was found by its history.
             * @constant
             */
            is_historical?: true;
            /** @description What happened. */
            data: {
                /** @description The channel that failed. */
                channel: {
                    /**
                     * Format: uuid
                     * @description Of the channel.
                     * @example 6f1d1f4e-0000-4000-8000-000000000001
                     */
                    id: string;
                    /**
                     * @description Of the channel.
                     * @example webhook
                     */
                    kind: string;
                    /**
                     * @description As its user called it.
                     * @example Payments
                     */
                    name: string;
                    /**
                     * Format: date-time
                     * @description When the service gave it up.
                     * @example 2026-01-01T00:00:00.000Z
                     */
                    failed_at: string;
                    /**
                     * @description Why, for people.
                     * @example the receiver answered 410 Gone
                     */
                    failure_reason: string;
                };
            };
        };
        Delivery: {
            /**
             * Format: uuid
             * @description Of the delivery; each attempt has an id of its own.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * Format: uuid
             * @description Its channel.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            channel_id: string;
            /**
             * Format: uuid
             * @description The event that is delivered.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description Its type.
             * @example transaction.detected
             */
            event_type: string;
            /**
             * @description `pending`: to be sent, or sent again; `held`: waits for its channel; `delivered`; `failed`: all attempts are used up; `discarded`: never sent.
             * @enum {string}
             */
            status: "pending" | "held" | "delivered" | "failed" | "discarded";
            /**
             * Format: int64
             * @description Attempts made so far.
             * @example 1
             */
            attempt_count: number;
            /** @description True for what `actions/test` sends. */
            is_test_message: boolean;
            /**
             * @description When it is tried next. Null when no attempt is due: it arrived, was given up, or waits for its channel.
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * @description What the last attempt failed with. Null otherwise.
             * @example null
             */
            last_error: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
            /**
             * @description When the receiver took it. Null before.
             * @example 2026-01-01T00:00:00.000Z
             */
            delivered_at: string | null;
        };
        DeliveryPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Delivery"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        NotificationChannel: components["schemas"]["WebhookChannel"] | components["schemas"]["DiscordChannel"] | components["schemas"]["EmailChannel"] | components["schemas"]["NatsChannel"] | components["schemas"]["SlackChannel"] | components["schemas"]["TelegramChannel"];
        WebhookChannel: {
            /**
             * Format: uuid
             * @description Of the channel.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description As its user calls it.
             * @example Payments
             */
            name: string;
            /** @description True: disabled, with its configuration kept. */
            is_archived: boolean;
            /**
             * @description `active`; `failing`: the last deliveries failed, one is tried every 30 s; `failed`: given up, events are held for 14 days; `archived`: events are held likewise.
             * @enum {string}
             */
            status: "active" | "failing" | "failed" | "archived";
            /**
             * @description When it was given up. Null otherwise.
             * @example null
             */
            failed_at: string | null;
            /**
             * @description Why it was given up. Null otherwise.
             * @example null
             */
            failure_reason: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
            /**
             * @description HTTP POST to a URL. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "webhook";
            /** @description Where it delivers to, and what. */
            config: {
                /**
                 * @description Where events are POSTed to.
                 * @example https://hooks.example.com/chainwatch
                 */
                url: string;
                /**
                 * @description Sent with every delivery.
                 * @example {
                 *       "X-Team": "payments"
                 *     }
                 */
                headers: {
                    [key: string]: string;
                };
                /** @description Which credentials are stored; they themselves are not shown. */
                auth: {
                    /**
                     * @description Kind of credentials.
                     * @enum {string}
                     */
                    type: "none" | "basic" | "bearer" | "header";
                };
                /**
                 * @description Whether deliveries carry the headers of Standard Webhooks, too.
                 * @example false
                 */
                standard_webhooks: boolean;
                /**
                 * @description Deliveries a second at most. Null: as many as come.
                 * @example null
                 */
                throttle_per_second: number | null;
                /**
                 * @description Which events it gets.
                 * @example [
                 *       "transaction.detected",
                 *       "transaction.confirmed"
                 *     ]
                 */
                event_types: string[];
                /** @description Which of them; all filters together decide. */
                filters: {
                    /**
                     * @description Only transactions of these chains.
                     * @example [
                     *       "eip155:1"
                     *     ]
                     */
                    chain_gids?: string[];
                    /**
                     * @description Only transactions that move one of these assets.
                     * @example [
                     *       "eip155:1/slip44:60"
                     *     ]
                     */
                    asset_gids?: string[];
                    /**
                     * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                     * @example [
                     *       "6f1d1f4e-0000-4000-8000-000000000001"
                     *     ]
                     */
                    address_ids?: string[];
                    /**
                     * @description Only events of addresses in one of these groups.
                     * @example [
                     *       "shop-7"
                     *     ]
                     */
                    groups?: string[];
                    /**
                     * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                     * @example {
                     *       "shop": "7"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string | number | boolean;
                    };
                    /**
                     * @description Only transactions of that direction.
                     * @enum {string}
                     */
                    direction?: "in" | "out" | "self";
                    /**
                     * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                     * @example 0.01
                     */
                    min_amount?: string;
                    /**
                     * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                     * @example order 1042
                     */
                    memo?: string;
                    /**
                     * @description The same for a memo that begins with it.
                     * @example order
                     */
                    memo_prefix?: string;
                    /**
                     * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                     * @example [
                     *       "proved",
                     *       "agreed",
                     *       "attested"
                     *     ]
                     */
                    verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                    /**
                     * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                     * @example [
                     *       "withdrawal",
                     *       "reward",
                     *       "mint",
                     *       "atomic",
                     *       "staking_reward",
                     *       "adjustment"
                     *     ]
                     */
                    reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
                };
                /**
                 * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
                 * @example true
                 */
                include_historical?: boolean;
            };
        };
        DiscordChannel: {
            /**
             * Format: uuid
             * @description Of the channel.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description As its user calls it.
             * @example Payments
             */
            name: string;
            /** @description True: disabled, with its configuration kept. */
            is_archived: boolean;
            /**
             * @description `active`; `failing`: the last deliveries failed, one is tried every 30 s; `failed`: given up, events are held for 14 days; `archived`: events are held likewise.
             * @enum {string}
             */
            status: "active" | "failing" | "failed" | "archived";
            /**
             * @description When it was given up. Null otherwise.
             * @example null
             */
            failed_at: string | null;
            /**
             * @description Why it was given up. Null otherwise.
             * @example null
             */
            failure_reason: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
            /**
             * @description A channel in Discord. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "discord";
            /** @description Where it delivers to, and what. */
            config: {
                /**
                 * @description The webhook's URL, its secret masked.
                 * @example https://hooks.example.com/services/T00000000/B00000000/***
                 */
                url: string;
                /**
                 * @description Which events it gets.
                 * @example [
                 *       "transaction.detected",
                 *       "transaction.confirmed"
                 *     ]
                 */
                event_types: string[];
                /** @description Which of them; all filters together decide. */
                filters: {
                    /**
                     * @description Only transactions of these chains.
                     * @example [
                     *       "eip155:1"
                     *     ]
                     */
                    chain_gids?: string[];
                    /**
                     * @description Only transactions that move one of these assets.
                     * @example [
                     *       "eip155:1/slip44:60"
                     *     ]
                     */
                    asset_gids?: string[];
                    /**
                     * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                     * @example [
                     *       "6f1d1f4e-0000-4000-8000-000000000001"
                     *     ]
                     */
                    address_ids?: string[];
                    /**
                     * @description Only events of addresses in one of these groups.
                     * @example [
                     *       "shop-7"
                     *     ]
                     */
                    groups?: string[];
                    /**
                     * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                     * @example {
                     *       "shop": "7"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string | number | boolean;
                    };
                    /**
                     * @description Only transactions of that direction.
                     * @enum {string}
                     */
                    direction?: "in" | "out" | "self";
                    /**
                     * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                     * @example 0.01
                     */
                    min_amount?: string;
                    /**
                     * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                     * @example order 1042
                     */
                    memo?: string;
                    /**
                     * @description The same for a memo that begins with it.
                     * @example order
                     */
                    memo_prefix?: string;
                    /**
                     * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                     * @example [
                     *       "proved",
                     *       "agreed",
                     *       "attested"
                     *     ]
                     */
                    verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                    /**
                     * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                     * @example [
                     *       "withdrawal",
                     *       "reward",
                     *       "mint",
                     *       "atomic",
                     *       "staking_reward",
                     *       "adjustment"
                     *     ]
                     */
                    reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
                };
                /**
                 * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
                 * @example true
                 */
                include_historical?: boolean;
            };
        };
        EmailChannel: {
            /**
             * Format: uuid
             * @description Of the channel.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description As its user calls it.
             * @example Payments
             */
            name: string;
            /** @description True: disabled, with its configuration kept. */
            is_archived: boolean;
            /**
             * @description `active`; `failing`: the last deliveries failed, one is tried every 30 s; `failed`: given up, events are held for 14 days; `archived`: events are held likewise.
             * @enum {string}
             */
            status: "active" | "failing" | "failed" | "archived";
            /**
             * @description When it was given up. Null otherwise.
             * @example null
             */
            failed_at: string | null;
            /**
             * @description Why it was given up. Null otherwise.
             * @example null
             */
            failure_reason: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
            /**
             * @description Mails to people who agreed to get them. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "email";
            /** @description Where it delivers to, and what. */
            config: {
                /** @description Who gets the mails, and whether they agreed. */
                recipients: {
                    /**
                     * @description Where mails go.
                     * @example ops@example.com
                     */
                    address: string;
                    /**
                     * @description `pending`: was asked, and gets no event yet; `confirmed`: gets them; `stopped`: does not want them any more.
                     * @enum {string}
                     */
                    status: "pending" | "confirmed" | "stopped";
                    /**
                     * Format: date-time
                     * @description When it was named.
                     * @example 2026-01-01T00:00:00.000Z
                     */
                    requested_at: string;
                    /**
                     * @description When it confirmed or stopped. Null before.
                     * @example null
                     */
                    answered_at: string | null;
                }[];
                /**
                 * @description Which events it gets.
                 * @example [
                 *       "transaction.detected",
                 *       "transaction.confirmed"
                 *     ]
                 */
                event_types: string[];
                /** @description Which of them; all filters together decide. */
                filters: {
                    /**
                     * @description Only transactions of these chains.
                     * @example [
                     *       "eip155:1"
                     *     ]
                     */
                    chain_gids?: string[];
                    /**
                     * @description Only transactions that move one of these assets.
                     * @example [
                     *       "eip155:1/slip44:60"
                     *     ]
                     */
                    asset_gids?: string[];
                    /**
                     * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                     * @example [
                     *       "6f1d1f4e-0000-4000-8000-000000000001"
                     *     ]
                     */
                    address_ids?: string[];
                    /**
                     * @description Only events of addresses in one of these groups.
                     * @example [
                     *       "shop-7"
                     *     ]
                     */
                    groups?: string[];
                    /**
                     * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                     * @example {
                     *       "shop": "7"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string | number | boolean;
                    };
                    /**
                     * @description Only transactions of that direction.
                     * @enum {string}
                     */
                    direction?: "in" | "out" | "self";
                    /**
                     * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                     * @example 0.01
                     */
                    min_amount?: string;
                    /**
                     * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                     * @example order 1042
                     */
                    memo?: string;
                    /**
                     * @description The same for a memo that begins with it.
                     * @example order
                     */
                    memo_prefix?: string;
                    /**
                     * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                     * @example [
                     *       "proved",
                     *       "agreed",
                     *       "attested"
                     *     ]
                     */
                    verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                    /**
                     * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                     * @example [
                     *       "withdrawal",
                     *       "reward",
                     *       "mint",
                     *       "atomic",
                     *       "staking_reward",
                     *       "adjustment"
                     *     ]
                     */
                    reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
                };
                /**
                 * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
                 * @example true
                 */
                include_historical?: boolean;
            };
        };
        NatsChannel: {
            /**
             * Format: uuid
             * @description Of the channel.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description As its user calls it.
             * @example Payments
             */
            name: string;
            /** @description True: disabled, with its configuration kept. */
            is_archived: boolean;
            /**
             * @description `active`; `failing`: the last deliveries failed, one is tried every 30 s; `failed`: given up, events are held for 14 days; `archived`: events are held likewise.
             * @enum {string}
             */
            status: "active" | "failing" | "failed" | "archived";
            /**
             * @description When it was given up. Null otherwise.
             * @example null
             */
            failed_at: string | null;
            /**
             * @description Why it was given up. Null otherwise.
             * @example null
             */
            failure_reason: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
            /**
             * @description A NATS server. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "nats";
            /** @description Where it delivers to, and what. */
            config: {
                /**
                 * @description The server, credentials masked.
                 * @example nats://nats.example.com:4222
                 */
                url: string;
                /**
                 * @description The subject it publishes to.
                 * @example payments.chainwatch
                 */
                subject: string;
                /** @description Which credentials are stored; they themselves are not shown. */
                auth: {
                    /**
                     * @description Kind of credentials.
                     * @enum {string}
                     */
                    type: "none" | "user" | "token" | "nkey" | "creds";
                };
                /**
                 * @description Which events it gets.
                 * @example [
                 *       "transaction.detected",
                 *       "transaction.confirmed"
                 *     ]
                 */
                event_types: string[];
                /** @description Which of them; all filters together decide. */
                filters: {
                    /**
                     * @description Only transactions of these chains.
                     * @example [
                     *       "eip155:1"
                     *     ]
                     */
                    chain_gids?: string[];
                    /**
                     * @description Only transactions that move one of these assets.
                     * @example [
                     *       "eip155:1/slip44:60"
                     *     ]
                     */
                    asset_gids?: string[];
                    /**
                     * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                     * @example [
                     *       "6f1d1f4e-0000-4000-8000-000000000001"
                     *     ]
                     */
                    address_ids?: string[];
                    /**
                     * @description Only events of addresses in one of these groups.
                     * @example [
                     *       "shop-7"
                     *     ]
                     */
                    groups?: string[];
                    /**
                     * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                     * @example {
                     *       "shop": "7"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string | number | boolean;
                    };
                    /**
                     * @description Only transactions of that direction.
                     * @enum {string}
                     */
                    direction?: "in" | "out" | "self";
                    /**
                     * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                     * @example 0.01
                     */
                    min_amount?: string;
                    /**
                     * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                     * @example order 1042
                     */
                    memo?: string;
                    /**
                     * @description The same for a memo that begins with it.
                     * @example order
                     */
                    memo_prefix?: string;
                    /**
                     * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                     * @example [
                     *       "proved",
                     *       "agreed",
                     *       "attested"
                     *     ]
                     */
                    verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                    /**
                     * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                     * @example [
                     *       "withdrawal",
                     *       "reward",
                     *       "mint",
                     *       "atomic",
                     *       "staking_reward",
                     *       "adjustment"
                     *     ]
                     */
                    reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
                };
                /**
                 * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
                 * @example true
                 */
                include_historical?: boolean;
            };
        };
        SlackChannel: {
            /**
             * Format: uuid
             * @description Of the channel.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description As its user calls it.
             * @example Payments
             */
            name: string;
            /** @description True: disabled, with its configuration kept. */
            is_archived: boolean;
            /**
             * @description `active`; `failing`: the last deliveries failed, one is tried every 30 s; `failed`: given up, events are held for 14 days; `archived`: events are held likewise.
             * @enum {string}
             */
            status: "active" | "failing" | "failed" | "archived";
            /**
             * @description When it was given up. Null otherwise.
             * @example null
             */
            failed_at: string | null;
            /**
             * @description Why it was given up. Null otherwise.
             * @example null
             */
            failure_reason: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
            /**
             * @description A channel in Slack. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "slack";
            /** @description Where it delivers to, and what. */
            config: {
                /**
                 * @description The webhook's URL, its secret masked.
                 * @example https://hooks.example.com/services/T00000000/B00000000/***
                 */
                url: string;
                /**
                 * @description Which events it gets.
                 * @example [
                 *       "transaction.detected",
                 *       "transaction.confirmed"
                 *     ]
                 */
                event_types: string[];
                /** @description Which of them; all filters together decide. */
                filters: {
                    /**
                     * @description Only transactions of these chains.
                     * @example [
                     *       "eip155:1"
                     *     ]
                     */
                    chain_gids?: string[];
                    /**
                     * @description Only transactions that move one of these assets.
                     * @example [
                     *       "eip155:1/slip44:60"
                     *     ]
                     */
                    asset_gids?: string[];
                    /**
                     * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                     * @example [
                     *       "6f1d1f4e-0000-4000-8000-000000000001"
                     *     ]
                     */
                    address_ids?: string[];
                    /**
                     * @description Only events of addresses in one of these groups.
                     * @example [
                     *       "shop-7"
                     *     ]
                     */
                    groups?: string[];
                    /**
                     * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                     * @example {
                     *       "shop": "7"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string | number | boolean;
                    };
                    /**
                     * @description Only transactions of that direction.
                     * @enum {string}
                     */
                    direction?: "in" | "out" | "self";
                    /**
                     * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                     * @example 0.01
                     */
                    min_amount?: string;
                    /**
                     * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                     * @example order 1042
                     */
                    memo?: string;
                    /**
                     * @description The same for a memo that begins with it.
                     * @example order
                     */
                    memo_prefix?: string;
                    /**
                     * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                     * @example [
                     *       "proved",
                     *       "agreed",
                     *       "attested"
                     *     ]
                     */
                    verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                    /**
                     * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                     * @example [
                     *       "withdrawal",
                     *       "reward",
                     *       "mint",
                     *       "atomic",
                     *       "staking_reward",
                     *       "adjustment"
                     *     ]
                     */
                    reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
                };
                /**
                 * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
                 * @example true
                 */
                include_historical?: boolean;
            };
        };
        TelegramChannel: {
            /**
             * Format: uuid
             * @description Of the channel.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description As its user calls it.
             * @example Payments
             */
            name: string;
            /** @description True: disabled, with its configuration kept. */
            is_archived: boolean;
            /**
             * @description `active`; `failing`: the last deliveries failed, one is tried every 30 s; `failed`: given up, events are held for 14 days; `archived`: events are held likewise.
             * @enum {string}
             */
            status: "active" | "failing" | "failed" | "archived";
            /**
             * @description When it was given up. Null otherwise.
             * @example null
             */
            failed_at: string | null;
            /**
             * @description Why it was given up. Null otherwise.
             * @example null
             */
            failure_reason: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
            /**
             * @description A Telegram chat. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            kind: "telegram";
            /** @description Where it delivers to, and what. */
            config: {
                /**
                 * @description The public id of the bot, its secret masked.
                 * @example 110201543:***
                 */
                bot_token: string;
                /**
                 * Format: int64
                 * @description The chat it writes to.
                 * @example 42000000
                 */
                chat_id: number;
                /**
                 * @description Which events it gets.
                 * @example [
                 *       "transaction.detected",
                 *       "transaction.confirmed"
                 *     ]
                 */
                event_types: string[];
                /** @description Which of them; all filters together decide. */
                filters: {
                    /**
                     * @description Only transactions of these chains.
                     * @example [
                     *       "eip155:1"
                     *     ]
                     */
                    chain_gids?: string[];
                    /**
                     * @description Only transactions that move one of these assets.
                     * @example [
                     *       "eip155:1/slip44:60"
                     *     ]
                     */
                    asset_gids?: string[];
                    /**
                     * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                     * @example [
                     *       "6f1d1f4e-0000-4000-8000-000000000001"
                     *     ]
                     */
                    address_ids?: string[];
                    /**
                     * @description Only events of addresses in one of these groups.
                     * @example [
                     *       "shop-7"
                     *     ]
                     */
                    groups?: string[];
                    /**
                     * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                     * @example {
                     *       "shop": "7"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string | number | boolean;
                    };
                    /**
                     * @description Only transactions of that direction.
                     * @enum {string}
                     */
                    direction?: "in" | "out" | "self";
                    /**
                     * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                     * @example 0.01
                     */
                    min_amount?: string;
                    /**
                     * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                     * @example order 1042
                     */
                    memo?: string;
                    /**
                     * @description The same for a memo that begins with it.
                     * @example order
                     */
                    memo_prefix?: string;
                    /**
                     * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                     * @example [
                     *       "proved",
                     *       "agreed",
                     *       "attested"
                     *     ]
                     */
                    verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                    /**
                     * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                     * @example [
                     *       "withdrawal",
                     *       "reward",
                     *       "mint",
                     *       "atomic",
                     *       "staking_reward",
                     *       "adjustment"
                     *     ]
                     */
                    reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
                };
                /**
                 * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
                 * @example true
                 */
                include_historical?: boolean;
            };
        };
        NotificationChannelPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["NotificationChannel"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        WebhookAuth: components["schemas"]["WebhookAuthNone"] | components["schemas"]["WebhookAuthBasic"] | components["schemas"]["WebhookAuthBearer"] | components["schemas"]["WebhookAuthHeader"];
        WebhookAuthNone: {
            /**
             * @description No credentials. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "none";
        };
        WebhookAuthBasic: {
            /**
             * @description User and password (RFC 7617). (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "basic";
            /**
             * @description The user, without a colon.
             * @example chainwatch
             */
            username: string;
            /**
             * @description The password.
             * @example correct horse
             */
            password: string;
        };
        WebhookAuthBearer: {
            /**
             * @description A bearer token (RFC 6750). (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "bearer";
            /**
             * @description The token.
             * @example s3cr3t
             */
            token: string;
        };
        WebhookAuthHeader: {
            /**
             * @description A header of its own. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "header";
            /**
             * @description Its name.
             * @example X-Hook-Token
             */
            name: string;
            /**
             * @description Its value.
             * @example s3cr3t
             */
            value: string;
        };
        CreateWebhookChannelInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name: string;
            /**
             * @description May be told.
             * @constant
             */
            kind?: "webhook";
            /** @description Credentials for the receiver, write-only. */
            auth?: components["schemas"]["WebhookAuth"];
            /**
             * Format: uri
             * @description Where events are POSTed to; https, where configuration does not allow http.
             * @example https://hooks.example.com/chainwatch
             */
            url: string;
            /**
             * @description Sent with every delivery, at most 20.
             * @example {
             *       "X-Team": "payments"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Whether deliveries carry the headers of Standard Webhooks, too: `webhook-id`, `webhook-timestamp`, `webhook-signature`, keyed with the whole secret. Default false.
             * @example true
             */
            standard_webhooks?: boolean;
            /**
             * @description Deliveries a second at most. Null: as many as come.
             * @example 10
             */
            throttle_per_second?: number | null;
            /**
             * @description Which events it gets; absent: those that the kind of channel gets by default.
             * @example [
             *       "transaction.detected",
             *       "transaction.confirmed"
             *     ]
             */
            event_types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
            /** @description Which of them; all filters together decide. */
            filters?: {
                /**
                 * @description Only transactions of these chains.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only transactions that move one of these assets.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                address_ids?: string[];
                /**
                 * @description Only events of addresses in one of these groups.
                 * @example [
                 *       "shop-7"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                 * @example {
                 *       "shop": "7"
                 *     }
                 */
                metadata?: {
                    [key: string]: string | number | boolean;
                };
                /**
                 * @description Only transactions of that direction.
                 * @enum {string}
                 */
                direction?: "in" | "out" | "self";
                /**
                 * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                 * @example 0.01
                 */
                min_amount?: string;
                /**
                 * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                 * @example order 1042
                 */
                memo?: string;
                /**
                 * @description The same for a memo that begins with it.
                 * @example order
                 */
                memo_prefix?: string;
                /**
                 * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                 * @example [
                 *       "proved",
                 *       "agreed",
                 *       "attested"
                 *     ]
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                /**
                 * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                 * @example [
                 *       "withdrawal",
                 *       "reward",
                 *       "mint",
                 *       "atomic",
                 *       "staking_reward",
                 *       "adjustment"
                 *     ]
                 */
                reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            };
            /**
             * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
             * @example true
             */
            include_historical?: boolean;
        };
        CreatedNotificationChannel: {
            /**
             * Format: uuid
             * @description Of the channel.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description As its user calls it.
             * @example Payments
             */
            name: string;
            /** @description True: disabled, with its configuration kept. */
            is_archived: boolean;
            /**
             * @description `active`; `failing`: the last deliveries failed, one is tried every 30 s; `failed`: given up, events are held for 14 days; `archived`: events are held likewise.
             * @enum {string}
             */
            status: "active" | "failing" | "failed" | "archived";
            /**
             * @description When it was given up. Null otherwise.
             * @example null
             */
            failed_at: string | null;
            /**
             * @description Why it was given up. Null otherwise.
             * @example null
             */
            failure_reason: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
            /**
             * @description HTTP POST to a URL.
             * @constant
             */
            kind: "webhook";
            /** @description Where it delivers to, and what. */
            config: {
                /**
                 * @description Where events are POSTed to.
                 * @example https://hooks.example.com/chainwatch
                 */
                url: string;
                /**
                 * @description Sent with every delivery.
                 * @example {
                 *       "X-Team": "payments"
                 *     }
                 */
                headers: {
                    [key: string]: string;
                };
                /** @description Which credentials are stored; they themselves are not shown. */
                auth: {
                    /**
                     * @description Kind of credentials.
                     * @enum {string}
                     */
                    type: "none" | "basic" | "bearer" | "header";
                };
                /**
                 * @description Whether deliveries carry the headers of Standard Webhooks, too.
                 * @example false
                 */
                standard_webhooks: boolean;
                /**
                 * @description Deliveries a second at most. Null: as many as come.
                 * @example null
                 */
                throttle_per_second: number | null;
                /**
                 * @description Which events it gets.
                 * @example [
                 *       "transaction.detected",
                 *       "transaction.confirmed"
                 *     ]
                 */
                event_types: string[];
                /** @description Which of them; all filters together decide. */
                filters: {
                    /**
                     * @description Only transactions of these chains.
                     * @example [
                     *       "eip155:1"
                     *     ]
                     */
                    chain_gids?: string[];
                    /**
                     * @description Only transactions that move one of these assets.
                     * @example [
                     *       "eip155:1/slip44:60"
                     *     ]
                     */
                    asset_gids?: string[];
                    /**
                     * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                     * @example [
                     *       "6f1d1f4e-0000-4000-8000-000000000001"
                     *     ]
                     */
                    address_ids?: string[];
                    /**
                     * @description Only events of addresses in one of these groups.
                     * @example [
                     *       "shop-7"
                     *     ]
                     */
                    groups?: string[];
                    /**
                     * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                     * @example {
                     *       "shop": "7"
                     *     }
                     */
                    metadata?: {
                        [key: string]: string | number | boolean;
                    };
                    /**
                     * @description Only transactions of that direction.
                     * @enum {string}
                     */
                    direction?: "in" | "out" | "self";
                    /**
                     * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                     * @example 0.01
                     */
                    min_amount?: string;
                    /**
                     * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                     * @example order 1042
                     */
                    memo?: string;
                    /**
                     * @description The same for a memo that begins with it.
                     * @example order
                     */
                    memo_prefix?: string;
                    /**
                     * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                     * @example [
                     *       "proved",
                     *       "agreed",
                     *       "attested"
                     *     ]
                     */
                    verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                    /**
                     * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                     * @example [
                     *       "withdrawal",
                     *       "reward",
                     *       "mint",
                     *       "atomic",
                     *       "staking_reward",
                     *       "adjustment"
                     *     ]
                     */
                    reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
                };
                /**
                 * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
                 * @example true
                 */
                include_historical?: boolean;
            };
            /**
             * @description Signs the deliveries. Shown this once.
             * @example svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST
             */
            webhook_secret: string;
        };
        UpdateWebhookChannelInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name?: string;
            /** @description Credentials for the receiver, write-only. */
            auth?: components["schemas"]["WebhookAuth"];
            /**
             * Format: uri
             * @description Where events are POSTed to; https, where configuration does not allow http.
             * @example https://hooks.example.com/chainwatch
             */
            url?: string;
            /**
             * @description Sent with every delivery, at most 20.
             * @example {
             *       "X-Team": "payments"
             *     }
             */
            headers?: {
                [key: string]: string;
            };
            /**
             * @description Whether deliveries carry the headers of Standard Webhooks, too: `webhook-id`, `webhook-timestamp`, `webhook-signature`, keyed with the whole secret. Default false.
             * @example true
             */
            standard_webhooks?: boolean;
            /**
             * @description Deliveries a second at most. Null: as many as come.
             * @example 10
             */
            throttle_per_second?: number | null;
            /**
             * @description Which events it gets; absent: those that the kind of channel gets by default.
             * @example [
             *       "transaction.detected",
             *       "transaction.confirmed"
             *     ]
             */
            event_types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
            /** @description Which of them; all filters together decide. */
            filters?: {
                /**
                 * @description Only transactions of these chains.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only transactions that move one of these assets.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                address_ids?: string[];
                /**
                 * @description Only events of addresses in one of these groups.
                 * @example [
                 *       "shop-7"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                 * @example {
                 *       "shop": "7"
                 *     }
                 */
                metadata?: {
                    [key: string]: string | number | boolean;
                };
                /**
                 * @description Only transactions of that direction.
                 * @enum {string}
                 */
                direction?: "in" | "out" | "self";
                /**
                 * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                 * @example 0.01
                 */
                min_amount?: string;
                /**
                 * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                 * @example order 1042
                 */
                memo?: string;
                /**
                 * @description The same for a memo that begins with it.
                 * @example order
                 */
                memo_prefix?: string;
                /**
                 * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                 * @example [
                 *       "proved",
                 *       "agreed",
                 *       "attested"
                 *     ]
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                /**
                 * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                 * @example [
                 *       "withdrawal",
                 *       "reward",
                 *       "mint",
                 *       "atomic",
                 *       "staking_reward",
                 *       "adjustment"
                 *     ]
                 */
                reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            };
            /**
             * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
             * @example true
             */
            include_historical?: boolean;
        };
        CreateDiscordChannelInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name: string;
            /**
             * Format: uri
             * @description The webhook's URL, as Discord gives it; write-only.
             * @example https://discord.com/api/webhooks/223704706495545344/XXXXXXXXXXXXXXXXXXXXXXXX
             */
            url: string;
            /**
             * @description Which events it gets; absent: those that the kind of channel gets by default.
             * @example [
             *       "transaction.detected",
             *       "transaction.confirmed"
             *     ]
             */
            event_types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
            /** @description Which of them; all filters together decide. */
            filters?: {
                /**
                 * @description Only transactions of these chains.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only transactions that move one of these assets.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                address_ids?: string[];
                /**
                 * @description Only events of addresses in one of these groups.
                 * @example [
                 *       "shop-7"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                 * @example {
                 *       "shop": "7"
                 *     }
                 */
                metadata?: {
                    [key: string]: string | number | boolean;
                };
                /**
                 * @description Only transactions of that direction.
                 * @enum {string}
                 */
                direction?: "in" | "out" | "self";
                /**
                 * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                 * @example 0.01
                 */
                min_amount?: string;
                /**
                 * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                 * @example order 1042
                 */
                memo?: string;
                /**
                 * @description The same for a memo that begins with it.
                 * @example order
                 */
                memo_prefix?: string;
                /**
                 * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                 * @example [
                 *       "proved",
                 *       "agreed",
                 *       "attested"
                 *     ]
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                /**
                 * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                 * @example [
                 *       "withdrawal",
                 *       "reward",
                 *       "mint",
                 *       "atomic",
                 *       "staking_reward",
                 *       "adjustment"
                 *     ]
                 */
                reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            };
            /**
             * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
             * @example true
             */
            include_historical?: boolean;
        };
        UpdateDiscordChannelInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name?: string;
            /**
             * Format: uri
             * @description The webhook's URL, as Discord gives it; write-only.
             * @example https://discord.com/api/webhooks/223704706495545344/XXXXXXXXXXXXXXXXXXXXXXXX
             */
            url?: string;
            /**
             * @description Which events it gets; absent: those that the kind of channel gets by default.
             * @example [
             *       "transaction.detected",
             *       "transaction.confirmed"
             *     ]
             */
            event_types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
            /** @description Which of them; all filters together decide. */
            filters?: {
                /**
                 * @description Only transactions of these chains.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only transactions that move one of these assets.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                address_ids?: string[];
                /**
                 * @description Only events of addresses in one of these groups.
                 * @example [
                 *       "shop-7"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                 * @example {
                 *       "shop": "7"
                 *     }
                 */
                metadata?: {
                    [key: string]: string | number | boolean;
                };
                /**
                 * @description Only transactions of that direction.
                 * @enum {string}
                 */
                direction?: "in" | "out" | "self";
                /**
                 * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                 * @example 0.01
                 */
                min_amount?: string;
                /**
                 * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                 * @example order 1042
                 */
                memo?: string;
                /**
                 * @description The same for a memo that begins with it.
                 * @example order
                 */
                memo_prefix?: string;
                /**
                 * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                 * @example [
                 *       "proved",
                 *       "agreed",
                 *       "attested"
                 *     ]
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                /**
                 * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                 * @example [
                 *       "withdrawal",
                 *       "reward",
                 *       "mint",
                 *       "atomic",
                 *       "staking_reward",
                 *       "adjustment"
                 *     ]
                 */
                reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            };
            /**
             * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
             * @example true
             */
            include_historical?: boolean;
        };
        CreateEmailChannelInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name: string;
            /**
             * @description Up to 10 addresses. Each new one gets a link, and no event before it was followed. One that is named again before gets another link.
             * @example [
             *       "ops@example.com"
             *     ]
             */
            recipients: (string & (unknown & unknown))[];
            /**
             * @description Which events it gets; absent: those that the kind of channel gets by default.
             * @example [
             *       "transaction.detected",
             *       "transaction.confirmed"
             *     ]
             */
            event_types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
            /** @description Which of them; all filters together decide. */
            filters?: {
                /**
                 * @description Only transactions of these chains.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only transactions that move one of these assets.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                address_ids?: string[];
                /**
                 * @description Only events of addresses in one of these groups.
                 * @example [
                 *       "shop-7"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                 * @example {
                 *       "shop": "7"
                 *     }
                 */
                metadata?: {
                    [key: string]: string | number | boolean;
                };
                /**
                 * @description Only transactions of that direction.
                 * @enum {string}
                 */
                direction?: "in" | "out" | "self";
                /**
                 * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                 * @example 0.01
                 */
                min_amount?: string;
                /**
                 * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                 * @example order 1042
                 */
                memo?: string;
                /**
                 * @description The same for a memo that begins with it.
                 * @example order
                 */
                memo_prefix?: string;
                /**
                 * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                 * @example [
                 *       "proved",
                 *       "agreed",
                 *       "attested"
                 *     ]
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                /**
                 * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                 * @example [
                 *       "withdrawal",
                 *       "reward",
                 *       "mint",
                 *       "atomic",
                 *       "staking_reward",
                 *       "adjustment"
                 *     ]
                 */
                reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            };
            /**
             * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
             * @example true
             */
            include_historical?: boolean;
        };
        UpdateEmailChannelInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name?: string;
            /**
             * @description Up to 10 addresses. Each new one gets a link, and no event before it was followed. One that is named again before gets another link.
             * @example [
             *       "ops@example.com"
             *     ]
             */
            recipients?: (string & (unknown & unknown))[];
            /**
             * @description Which events it gets; absent: those that the kind of channel gets by default.
             * @example [
             *       "transaction.detected",
             *       "transaction.confirmed"
             *     ]
             */
            event_types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
            /** @description Which of them; all filters together decide. */
            filters?: {
                /**
                 * @description Only transactions of these chains.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only transactions that move one of these assets.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                address_ids?: string[];
                /**
                 * @description Only events of addresses in one of these groups.
                 * @example [
                 *       "shop-7"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                 * @example {
                 *       "shop": "7"
                 *     }
                 */
                metadata?: {
                    [key: string]: string | number | boolean;
                };
                /**
                 * @description Only transactions of that direction.
                 * @enum {string}
                 */
                direction?: "in" | "out" | "self";
                /**
                 * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                 * @example 0.01
                 */
                min_amount?: string;
                /**
                 * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                 * @example order 1042
                 */
                memo?: string;
                /**
                 * @description The same for a memo that begins with it.
                 * @example order
                 */
                memo_prefix?: string;
                /**
                 * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                 * @example [
                 *       "proved",
                 *       "agreed",
                 *       "attested"
                 *     ]
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                /**
                 * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                 * @example [
                 *       "withdrawal",
                 *       "reward",
                 *       "mint",
                 *       "atomic",
                 *       "staking_reward",
                 *       "adjustment"
                 *     ]
                 */
                reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            };
            /**
             * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
             * @example true
             */
            include_historical?: boolean;
        };
        NatsAuth: components["schemas"]["NatsAuthNone"] | components["schemas"]["NatsAuthUser"] | components["schemas"]["NatsAuthToken"] | components["schemas"]["NatsAuthNkey"] | components["schemas"]["NatsAuthCreds"];
        NatsAuthNone: {
            /**
             * @description No credentials. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "none";
        };
        NatsAuthUser: {
            /**
             * @description A user and its password. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "user";
            /**
             * @description The user.
             * @example chainwatch
             */
            username: string;
            /**
             * @description Its password.
             * @example correct horse
             */
            password: string;
        };
        NatsAuthToken: {
            /**
             * @description A token. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "token";
            /**
             * @description The token.
             * @example s3cr3t
             */
            token: string;
        };
        NatsAuthNkey: {
            /**
             * @description An nkey. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "nkey";
            /**
             * @description Its seed.
             * @example SUACSSL3UAHUDXKFSNVUZRF5UHPMWZ6BFDTJ7M6USDXIEDNPPQYYYCU3VY
             */
            seed: string;
        };
        NatsAuthCreds: {
            /**
             * @description A user with a JWT. (enum property replaced by openapi-typescript)
             * @enum {string}
             */
            type: "creds";
            /**
             * @description The text of its .creds file.
             * @example -----BEGIN NATS USER JWT-----
             *     …
             *     -----BEGIN USER NKEY SEED-----
             *     …
             */
            creds: string;
        };
        CreateNatsChannelInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name: string;
            /**
             * Format: uri
             * @description The server, with credentials before the `@` where `auth` does not give them; they are masked when read.
             * @example nats://nats.example.com:4222
             */
            url: string;
            /** @description Credentials, write-only. */
            auth?: components["schemas"]["NatsAuth"];
            /**
             * @description The subject to publish to: words with dots between, without wildcards, spaces, control characters and a leading `$`.
             * @example payments.chainwatch
             */
            subject: string;
            /**
             * @description Which events it gets; absent: those that the kind of channel gets by default.
             * @example [
             *       "transaction.detected",
             *       "transaction.confirmed"
             *     ]
             */
            event_types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
            /** @description Which of them; all filters together decide. */
            filters?: {
                /**
                 * @description Only transactions of these chains.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only transactions that move one of these assets.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                address_ids?: string[];
                /**
                 * @description Only events of addresses in one of these groups.
                 * @example [
                 *       "shop-7"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                 * @example {
                 *       "shop": "7"
                 *     }
                 */
                metadata?: {
                    [key: string]: string | number | boolean;
                };
                /**
                 * @description Only transactions of that direction.
                 * @enum {string}
                 */
                direction?: "in" | "out" | "self";
                /**
                 * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                 * @example 0.01
                 */
                min_amount?: string;
                /**
                 * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                 * @example order 1042
                 */
                memo?: string;
                /**
                 * @description The same for a memo that begins with it.
                 * @example order
                 */
                memo_prefix?: string;
                /**
                 * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                 * @example [
                 *       "proved",
                 *       "agreed",
                 *       "attested"
                 *     ]
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                /**
                 * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                 * @example [
                 *       "withdrawal",
                 *       "reward",
                 *       "mint",
                 *       "atomic",
                 *       "staking_reward",
                 *       "adjustment"
                 *     ]
                 */
                reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            };
            /**
             * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
             * @example true
             */
            include_historical?: boolean;
        };
        UpdateNatsChannelInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name?: string;
            /**
             * Format: uri
             * @description The server, with credentials before the `@` where `auth` does not give them; they are masked when read.
             * @example nats://nats.example.com:4222
             */
            url?: string;
            /** @description Credentials, write-only. */
            auth?: components["schemas"]["NatsAuth"];
            /**
             * @description The subject to publish to: words with dots between, without wildcards, spaces, control characters and a leading `$`.
             * @example payments.chainwatch
             */
            subject?: string;
            /**
             * @description Which events it gets; absent: those that the kind of channel gets by default.
             * @example [
             *       "transaction.detected",
             *       "transaction.confirmed"
             *     ]
             */
            event_types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
            /** @description Which of them; all filters together decide. */
            filters?: {
                /**
                 * @description Only transactions of these chains.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only transactions that move one of these assets.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                address_ids?: string[];
                /**
                 * @description Only events of addresses in one of these groups.
                 * @example [
                 *       "shop-7"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                 * @example {
                 *       "shop": "7"
                 *     }
                 */
                metadata?: {
                    [key: string]: string | number | boolean;
                };
                /**
                 * @description Only transactions of that direction.
                 * @enum {string}
                 */
                direction?: "in" | "out" | "self";
                /**
                 * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                 * @example 0.01
                 */
                min_amount?: string;
                /**
                 * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                 * @example order 1042
                 */
                memo?: string;
                /**
                 * @description The same for a memo that begins with it.
                 * @example order
                 */
                memo_prefix?: string;
                /**
                 * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                 * @example [
                 *       "proved",
                 *       "agreed",
                 *       "attested"
                 *     ]
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                /**
                 * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                 * @example [
                 *       "withdrawal",
                 *       "reward",
                 *       "mint",
                 *       "atomic",
                 *       "staking_reward",
                 *       "adjustment"
                 *     ]
                 */
                reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            };
            /**
             * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
             * @example true
             */
            include_historical?: boolean;
        };
        CreateSlackChannelInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name: string;
            /**
             * Format: uri
             * @description The webhook's URL, as Slack gives it; write-only.
             * @example https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX
             */
            url: string;
            /**
             * @description Which events it gets; absent: those that the kind of channel gets by default.
             * @example [
             *       "transaction.detected",
             *       "transaction.confirmed"
             *     ]
             */
            event_types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
            /** @description Which of them; all filters together decide. */
            filters?: {
                /**
                 * @description Only transactions of these chains.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only transactions that move one of these assets.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                address_ids?: string[];
                /**
                 * @description Only events of addresses in one of these groups.
                 * @example [
                 *       "shop-7"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                 * @example {
                 *       "shop": "7"
                 *     }
                 */
                metadata?: {
                    [key: string]: string | number | boolean;
                };
                /**
                 * @description Only transactions of that direction.
                 * @enum {string}
                 */
                direction?: "in" | "out" | "self";
                /**
                 * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                 * @example 0.01
                 */
                min_amount?: string;
                /**
                 * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                 * @example order 1042
                 */
                memo?: string;
                /**
                 * @description The same for a memo that begins with it.
                 * @example order
                 */
                memo_prefix?: string;
                /**
                 * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                 * @example [
                 *       "proved",
                 *       "agreed",
                 *       "attested"
                 *     ]
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                /**
                 * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                 * @example [
                 *       "withdrawal",
                 *       "reward",
                 *       "mint",
                 *       "atomic",
                 *       "staking_reward",
                 *       "adjustment"
                 *     ]
                 */
                reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            };
            /**
             * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
             * @example true
             */
            include_historical?: boolean;
        };
        UpdateSlackChannelInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name?: string;
            /**
             * Format: uri
             * @description The webhook's URL, as Slack gives it; write-only.
             * @example https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX
             */
            url?: string;
            /**
             * @description Which events it gets; absent: those that the kind of channel gets by default.
             * @example [
             *       "transaction.detected",
             *       "transaction.confirmed"
             *     ]
             */
            event_types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
            /** @description Which of them; all filters together decide. */
            filters?: {
                /**
                 * @description Only transactions of these chains.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only transactions that move one of these assets.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                address_ids?: string[];
                /**
                 * @description Only events of addresses in one of these groups.
                 * @example [
                 *       "shop-7"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                 * @example {
                 *       "shop": "7"
                 *     }
                 */
                metadata?: {
                    [key: string]: string | number | boolean;
                };
                /**
                 * @description Only transactions of that direction.
                 * @enum {string}
                 */
                direction?: "in" | "out" | "self";
                /**
                 * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                 * @example 0.01
                 */
                min_amount?: string;
                /**
                 * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                 * @example order 1042
                 */
                memo?: string;
                /**
                 * @description The same for a memo that begins with it.
                 * @example order
                 */
                memo_prefix?: string;
                /**
                 * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                 * @example [
                 *       "proved",
                 *       "agreed",
                 *       "attested"
                 *     ]
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                /**
                 * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                 * @example [
                 *       "withdrawal",
                 *       "reward",
                 *       "mint",
                 *       "atomic",
                 *       "staking_reward",
                 *       "adjustment"
                 *     ]
                 */
                reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            };
            /**
             * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
             * @example true
             */
            include_historical?: boolean;
        };
        CreateTelegramChannelInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name: string;
            /**
             * @description The token of your bot, as BotFather gives it; write-only.
             * @example 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx
             */
            bot_token: string;
            /**
             * Format: int64
             * @description The chat: positive for a person, negative for a group, beginning with -100 for a channel.
             * @example 42000000
             */
            chat_id: number;
            /**
             * @description Which events it gets; absent: those that the kind of channel gets by default.
             * @example [
             *       "transaction.detected",
             *       "transaction.confirmed"
             *     ]
             */
            event_types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
            /** @description Which of them; all filters together decide. */
            filters?: {
                /**
                 * @description Only transactions of these chains.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only transactions that move one of these assets.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                address_ids?: string[];
                /**
                 * @description Only events of addresses in one of these groups.
                 * @example [
                 *       "shop-7"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                 * @example {
                 *       "shop": "7"
                 *     }
                 */
                metadata?: {
                    [key: string]: string | number | boolean;
                };
                /**
                 * @description Only transactions of that direction.
                 * @enum {string}
                 */
                direction?: "in" | "out" | "self";
                /**
                 * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                 * @example 0.01
                 */
                min_amount?: string;
                /**
                 * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                 * @example order 1042
                 */
                memo?: string;
                /**
                 * @description The same for a memo that begins with it.
                 * @example order
                 */
                memo_prefix?: string;
                /**
                 * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                 * @example [
                 *       "proved",
                 *       "agreed",
                 *       "attested"
                 *     ]
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                /**
                 * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                 * @example [
                 *       "withdrawal",
                 *       "reward",
                 *       "mint",
                 *       "atomic",
                 *       "staking_reward",
                 *       "adjustment"
                 *     ]
                 */
                reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            };
            /**
             * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
             * @example true
             */
            include_historical?: boolean;
        };
        UpdateTelegramChannelInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name?: string;
            /**
             * @description The token of your bot, as BotFather gives it; write-only.
             * @example 110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx
             */
            bot_token?: string;
            /**
             * Format: int64
             * @description The chat: positive for a person, negative for a group, beginning with -100 for a channel.
             * @example 42000000
             */
            chat_id?: number;
            /**
             * @description Which events it gets; absent: those that the kind of channel gets by default.
             * @example [
             *       "transaction.detected",
             *       "transaction.confirmed"
             *     ]
             */
            event_types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
            /** @description Which of them; all filters together decide. */
            filters?: {
                /**
                 * @description Only transactions of these chains.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only transactions that move one of these assets.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only events of these addresses, by their `id`. With `groups` and `metadata`, one and the same address has to pass all three.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                address_ids?: string[];
                /**
                 * @description Only events of addresses in one of these groups.
                 * @example [
                 *       "shop-7"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only events of addresses whose metadata has all of these members. Values are compared as text: `1042` and `"1042"` are the same.
                 * @example {
                 *       "shop": "7"
                 *     }
                 */
                metadata?: {
                    [key: string]: string | number | boolean;
                };
                /**
                 * @description Only transactions of that direction.
                 * @enum {string}
                 */
                direction?: "in" | "out" | "self";
                /**
                 * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                 * @example 0.01
                 */
                min_amount?: string;
                /**
                 * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                 * @example order 1042
                 */
                memo?: string;
                /**
                 * @description The same for a memo that begins with it.
                 * @example order
                 */
                memo_prefix?: string;
                /**
                 * @description Only events whose `verification` is one of these: that of the transaction, for `balance.changed` that of the balance. Events without one pass: other types, test messages, and events of earlier releases. Each value at most once.
                 * @example [
                 *       "proved",
                 *       "agreed",
                 *       "attested"
                 *     ]
                 */
                verification?: ("proved" | "agreed" | "attested" | "settling" | "trusted" | "unproved")[];
                /**
                 * @description Only `balance.changed` with a change of one of these reasons: whoever credits by transactions leaves `transfer` and `fee` out. `untold_reasons` of a blockchain says what no transaction tells there. Other types pass, and so do events of earlier releases, which do not say why. Each value at most once.
                 * @example [
                 *       "withdrawal",
                 *       "reward",
                 *       "mint",
                 *       "atomic",
                 *       "staking_reward",
                 *       "adjustment"
                 *     ]
                 */
                reasons?: ("transfer" | "fee" | "withdrawal" | "reward" | "mint" | "atomic" | "staking_reward" | "stake_withdrawal" | "adjustment")[];
            };
            /**
             * @description Whether it also gets what the history of imported addresses finds (`is_historical`), behind everything else; absent: it does not.
             * @example true
             */
            include_historical?: boolean;
        };
        DeliveryWithAttempts: {
            /**
             * Format: uuid
             * @description Of the delivery; each attempt has an id of its own.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * Format: uuid
             * @description Its channel.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            channel_id: string;
            /**
             * Format: uuid
             * @description The event that is delivered.
             * @example 6f1d1f4e-0000-5000-8000-000000000001
             */
            event_id: string;
            /**
             * @description Its type.
             * @example transaction.detected
             */
            event_type: string;
            /**
             * @description `pending`: to be sent, or sent again; `held`: waits for its channel; `delivered`; `failed`: all attempts are used up; `discarded`: never sent.
             * @enum {string}
             */
            status: "pending" | "held" | "delivered" | "failed" | "discarded";
            /**
             * Format: int64
             * @description Attempts made so far.
             * @example 1
             */
            attempt_count: number;
            /** @description True for what `actions/test` sends. */
            is_test_message: boolean;
            /**
             * @description When it is tried next. Null when no attempt is due: it arrived, was given up, or waits for its channel.
             * @example null
             */
            next_attempt_at: string | null;
            /**
             * @description What the last attempt failed with. Null otherwise.
             * @example null
             */
            last_error: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
            /**
             * @description When the receiver took it. Null before.
             * @example 2026-01-01T00:00:00.000Z
             */
            delivered_at: string | null;
            /** @description The last 100 attempts, oldest first. */
            attempts: {
                /**
                 * Format: uuid
                 * @description `X-Webhook-Delivery-Id` of the attempt.
                 * @example 0b0f7a3c-5a4e-4f5e-9f3a-6a1f0f1e2d3c
                 */
                id: string;
                /**
                 * Format: int64
                 * @description From 1.
                 * @example 1
                 */
                number: number;
                /**
                 * Format: date-time
                 * @description When it was sent.
                 * @example 2026-01-01T00:00:00.000Z
                 */
                started_at: string;
                /**
                 * Format: int64
                 * @description Until the answer, or the failure, in milliseconds.
                 * @example 132
                 */
                duration_ms: number;
                /**
                 * @description HTTP status of the answer. Null without one.
                 * @example 200
                 */
                status_code: number | null;
                /**
                 * @description What failed, for programs. Null where an answer came.
                 * @example null
                 */
                error_code: string | null;
                /**
                 * @description What was sent: `url`, `headers` and `body`, with its secrets masked.
                 * @example {
                 *       "url": "https://hooks.example.com/chainwatch",
                 *       "headers": {
                 *         "content-type": "application/json"
                 *       },
                 *       "body": "{\"event_id\":\"…\"}"
                 *     }
                 */
                request: unknown;
                /**
                 * @description Of the answer. Null without one.
                 * @example {
                 *       "content-type": "text/plain"
                 *     }
                 */
                response_headers: {
                    [key: string]: unknown;
                } | null;
                /**
                 * @description The first 16 KiB of the answer. Null without one.
                 * @example ok
                 */
                response_body: string | null;
            }[];
        };
        TestChannelInput: {
            /**
             * @description Which event to make up.
             * @default transaction.detected
             * @enum {string}
             */
            event_type?: "transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed";
        };
        RecoverInput: {
            /**
             * Format: date-time
             * @description What was made then or later.
             * @example 2026-01-01T00:00:00.000Z
             */
            since: string;
            /**
             * Format: date-time
             * @description And before then; absent: until now.
             * @example 2026-01-02T00:00:00Z
             */
            until?: string;
        };
        RecoverResult: {
            /**
             * Format: int64
             * @description Deliveries that are sent again.
             * @example 12
             */
            recovered_count: number;
        };
        WebhookSecrets: {
            /** @description Signs every delivery. */
            current: {
                /**
                 * Format: uuid
                 * @description Of the secret.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                id: string;
                /**
                 * @description The secret without its secret part.
                 * @example svc_whsec_****QRST
                 */
                mask: string;
                /**
                 * Format: date-time
                 * @description When it was made.
                 * @example 2026-01-01T00:00:00.000Z
                 */
                created_at: string;
                /**
                 * @description When it signed last. Null before.
                 * @example 2026-01-01T00:00:00.000Z
                 */
                last_used_at: string | null;
            };
            /** @description Signs too while the overlap of a rotation runs. Null otherwise. */
            previous: {
                /**
                 * Format: uuid
                 * @description Of the secret.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                id: string;
                /**
                 * @description The secret without its secret part.
                 * @example svc_whsec_****QRST
                 */
                mask: string;
                /**
                 * Format: date-time
                 * @description When it was made.
                 * @example 2026-01-01T00:00:00.000Z
                 */
                created_at: string;
                /**
                 * Format: date-time
                 * @description When another took its place.
                 * @example 2026-01-01T00:00:00.000Z
                 */
                rotated_at: string;
                /**
                 * Format: date-time
                 * @description When it stops to sign.
                 * @example 2026-01-02T00:00:00.000Z
                 */
                expires_at: string;
            } | null;
        };
        RotatedWebhookSecret: {
            /** @description Signs every delivery. */
            current: {
                /**
                 * Format: uuid
                 * @description Of the secret.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                id: string;
                /**
                 * @description The secret without its secret part.
                 * @example svc_whsec_****QRST
                 */
                mask: string;
                /**
                 * Format: date-time
                 * @description When it was made.
                 * @example 2026-01-01T00:00:00.000Z
                 */
                created_at: string;
                /**
                 * @description When it signed last. Null before.
                 * @example 2026-01-01T00:00:00.000Z
                 */
                last_used_at: string | null;
            };
            /** @description Signs too while the overlap of a rotation runs. Null otherwise. */
            previous: {
                /**
                 * Format: uuid
                 * @description Of the secret.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                id: string;
                /**
                 * @description The secret without its secret part.
                 * @example svc_whsec_****QRST
                 */
                mask: string;
                /**
                 * Format: date-time
                 * @description When it was made.
                 * @example 2026-01-01T00:00:00.000Z
                 */
                created_at: string;
                /**
                 * Format: date-time
                 * @description When another took its place.
                 * @example 2026-01-01T00:00:00.000Z
                 */
                rotated_at: string;
                /**
                 * Format: date-time
                 * @description When it stops to sign.
                 * @example 2026-01-02T00:00:00.000Z
                 */
                expires_at: string;
            } | null;
            /**
             * @description The new secret. Shown this once.
             * @example svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST
             */
            webhook_secret: string;
        };
        PortalSession: {
            /**
             * Format: uuid
             * @description Of the session; no secret.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description The notification channels that it shows.
             * @example [
             *       "6f1d1f4e-0000-4000-8000-000000000001"
             *     ]
             */
            channel_ids: string[];
            /**
             * @description What it may do with them.
             * @example [
             *       "api:notification_channel:read",
             *       "api:delivery:read"
             *     ]
             */
            permissions: ("api:notification_channel:read" | "api:notification_channel:write" | "api:delivery:read" | "api:delivery:replay" | "api:event:read")[];
            /**
             * @description Origins whose pages may frame it.
             * @example [
             *       "https://shop.example.com"
             *     ]
             */
            frame_origins: string[];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ends, unless the key that made it ends before.
             * @example 2026-01-01T01:00:00.000Z
             */
            expires_at: string;
        };
        PortalSessionPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["PortalSession"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        CreatePortalSessionInput: {
            /**
             * @description The notification channels of this customer.
             * @example [
             *       "6f1d1f4e-0000-4000-8000-000000000001"
             *     ]
             */
            channel_ids: string[];
            /**
             * Format: int32
             * @description How long it lives, in seconds, at most an hour.
             * @example 900
             */
            ttl_seconds: number;
            /**
             * @description What the customer may do, none of it that the asking key may not. `api:delivery:replay`: redeliver and recover; `api:event:read`: see the bodies that were sent; `api:notification_channel:write`: send test messages, and nothing else.
             * @default [
             *       "api:notification_channel:read",
             *       "api:delivery:read"
             *     ]
             * @example [
             *       "api:notification_channel:read",
             *       "api:delivery:read",
             *       "api:delivery:replay"
             *     ]
             */
            permissions?: ("api:notification_channel:read" | "api:notification_channel:write" | "api:delivery:read" | "api:delivery:replay" | "api:event:read")[];
            /**
             * @description Origins whose pages may frame it: `frame-ancestors` of the page. None: it stands alone.
             * @default []
             * @example [
             *       "https://shop.example.com"
             *     ]
             */
            frame_origins?: string[];
        };
        CreatedPortalSession: {
            /**
             * Format: uuid
             * @description Of the session; no secret.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description The notification channels that it shows.
             * @example [
             *       "6f1d1f4e-0000-4000-8000-000000000001"
             *     ]
             */
            channel_ids: string[];
            /**
             * @description What it may do with them.
             * @example [
             *       "api:notification_channel:read",
             *       "api:delivery:read"
             *     ]
             */
            permissions: ("api:notification_channel:read" | "api:notification_channel:write" | "api:delivery:read" | "api:delivery:replay" | "api:event:read")[];
            /**
             * @description Origins whose pages may frame it.
             * @example [
             *       "https://shop.example.com"
             *     ]
             */
            frame_origins: string[];
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it ends, unless the key that made it ends before.
             * @example 2026-01-01T01:00:00.000Z
             */
            expires_at: string;
            /**
             * Format: uri
             * @description The page for the customer. Its fragment is the token, which no server sees in the address. Shown this once.
             * @example https://api.example.com/ui/portal/6f1d1f4e-0000-4000-8000-000000000001#svc_portal_0123456789ABCDEFGHIJKLMNOPQRST2YbPlI
             */
            url: string;
        };
        Workspace: {
            /**
             * Format: uuid
             * @description Of the workspace.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description As its user calls it.
             * @example Acme
             */
            name: string;
            /** @description Whether it acts for the installation: its keys alone may change chains, their nodes and their activation. */
            is_operator: boolean;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
        };
        UpdateWorkspaceInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name: string;
        };
        Quotas: {
            /**
             * Format: uuid
             * @description Of the workspace.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            workspace_id: string;
            /**
             * Format: int64
             * @description Addresses, of all projects of the workspace, at most.
             * @example 10000000
             */
            addresses: number;
            /**
             * Format: int64
             * @description Notification channels, of all projects of the workspace, at most.
             * @example 1000
             */
            channels: number;
            /**
             * Format: int64
             * @description Open event streams, of all projects of the workspace, at most.
             * @example 100
             */
            streams: number;
            /**
             * Format: int64
             * @description Keys that count, of all types of the workspace, at most.
             * @example 1000
             */
            keys: number;
            /**
             * Format: int64
             * @description Portal sessions that have not expired, of all projects of the workspace, at most.
             * @example 10000
             */
            portal_sessions: number;
            /**
             * Format: int64
             * @description Projects of the workspace, at most.
             * @example 1000
             */
            projects: number;
            /**
             * Format: int64
             * @description Members of the workspace, at most.
             * @example 1000
             */
            members: number;
            /** @description What the workspace has at the moment. */
            used: {
                /**
                 * Format: int64
                 * @description Addresses it has.
                 * @example 1042
                 */
                addresses: number;
                /**
                 * Format: int64
                 * @description Notification channels it has.
                 * @example 3
                 */
                channels: number;
                /**
                 * Format: int64
                 * @description Keys that are neither revoked nor expired.
                 * @example 4
                 */
                keys: number;
                /**
                 * Format: int64
                 * @description Portal sessions that have not expired.
                 * @example 2
                 */
                portal_sessions: number;
                /**
                 * Format: int64
                 * @description Projects it has.
                 * @example 2
                 */
                projects: number;
                /**
                 * Format: int64
                 * @description Members it has.
                 * @example 5
                 */
                members: number;
            };
        };
        UpdateQuotasInput: {
            /**
             * @description Addresses, of all projects of the workspace, at most.
             * @example null
             */
            addresses?: number | null;
            /**
             * @description Notification channels, of all projects of the workspace, at most.
             * @example null
             */
            channels?: number | null;
            /**
             * @description Open event streams, of all projects of the workspace, at most.
             * @example null
             */
            streams?: number | null;
            /**
             * @description Keys that count, of all types of the workspace, at most.
             * @example null
             */
            keys?: number | null;
            /**
             * @description Portal sessions that have not expired, of all projects of the workspace, at most.
             * @example null
             */
            portal_sessions?: number | null;
            /**
             * @description Projects of the workspace, at most.
             * @example null
             */
            projects?: number | null;
            /**
             * @description Members of the workspace, at most.
             * @example null
             */
            members?: number | null;
        };
        Project: {
            /**
             * Format: uuid
             * @description Of the project.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description As its user calls it.
             * @example Shop
             */
            name: string;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
        };
        ProjectPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Project"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        CreateProjectInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name: string;
        };
        UpdateProjectInput: {
            /**
             * @description As you call it.
             * @example Payments
             */
            name: string;
        };
        Member: {
            /**
             * Format: uuid
             * @description Of the member.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description Lower case.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description What the member is in the workspace.
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "viewer";
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * Format: date-time
             * @description When it was changed last.
             * @example 2026-01-01T00:00:00.000Z
             */
            updated_at: string;
        };
        MemberPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Member"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        CreateMemberInput: {
            /**
             * Format: email
             * @description Of the person; upper case counts as lower.
             * @example ada@example.com
             */
            email: string;
            /**
             * @description What the member is to be.
             * @enum {string}
             */
            role: "owner" | "admin" | "developer" | "viewer";
        };
        UpdateMemberInput: {
            /**
             * Format: email
             * @description Of the person; upper case counts as lower.
             * @example ada@example.com
             */
            email?: string;
            /**
             * @description What the member is to be.
             * @enum {string}
             */
            role?: "owner" | "admin" | "developer" | "viewer";
        };
        Key: {
            /**
             * Format: uuid
             * @description Of the key.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description `api`: the platform API of one project; `rpc`: the RPC gateway; `mgt`: the management interface.
             * @enum {string}
             */
            type: "api" | "rpc" | "mgt";
            /**
             * @description As its user calls it.
             * @example Backend
             */
            name: string;
            /**
             * @description The key without its secret part.
             * @example svc_api_****bPlI
             */
            mask: string;
            /**
             * @description The project of an api key. Null for keys of the workspace.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string | null;
            /**
             * @description What it may do; fixed when it is made.
             * @example [
             *       "api:address:read"
             *     ]
             */
            permissions: ("api:blockchain:read" | "api:blockchain:write" | "api:asset:read" | "api:asset:write" | "api:token:read" | "api:token:write" | "api:public_key:read" | "api:public_key:write" | "api:address:read" | "api:address:write" | "api:notification_channel:read" | "api:notification_channel:write" | "api:confirmation_policy:read" | "api:confirmation_policy:write" | "api:block:read" | "api:transaction:read" | "api:event:read" | "api:delivery:read" | "api:delivery:replay" | "api:webhook_secret:read" | "api:webhook_secret:rotate" | "rpc:evm:read" | "rpc:evm:send" | "rpc:bitcoin:read" | "rpc:bitcoin:send" | "rpc:solana:read" | "rpc:solana:send" | "rpc:tron:read" | "rpc:tron:send" | "mgt:workspace:read" | "mgt:workspace:write" | "mgt:project:read" | "mgt:project:write" | "mgt:member:read" | "mgt:member:write" | "mgt:key:read" | "mgt:key:write" | "mgt:audit:read" | "mgt:quota:read" | "mgt:quota:write")[];
            /**
             * @description `expired` and `revoked` keys are refused.
             * @enum {string}
             */
            status: "active" | "expired" | "revoked";
            /**
             * @description When it ends. Null: never.
             * @example null
             */
            expires_at: string | null;
            /**
             * @description When it was revoked. Null otherwise.
             * @example null
             */
            revoked_at: string | null;
            /**
             * @description To the minute. Null while it was not used.
             * @example 2026-01-01T00:00:00.000Z
             */
            last_used_at: string | null;
            /**
             * @description The key that a roll put in its place. Null otherwise.
             * @example null
             */
            replaced_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
        };
        KeyPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Key"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        CreateKeyInput: {
            /**
             * @description What it is for: `api` the platform API of one project, `rpc` the RPC gateway, `mgt` the management interface.
             * @enum {string}
             */
            type: "api" | "rpc" | "mgt";
            /**
             * @description As you call it.
             * @example Backend
             */
            name: string;
            /**
             * @description The project of an api key; the others belong to the workspace.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id?: string | null;
            /**
             * @description What it may do, fixed for its life; none that the asking key lacks.
             * @example [
             *       "api:address:read"
             *     ]
             */
            permissions: ("api:blockchain:read" | "api:blockchain:write" | "api:asset:read" | "api:asset:write" | "api:token:read" | "api:token:write" | "api:public_key:read" | "api:public_key:write" | "api:address:read" | "api:address:write" | "api:notification_channel:read" | "api:notification_channel:write" | "api:confirmation_policy:read" | "api:confirmation_policy:write" | "api:block:read" | "api:transaction:read" | "api:event:read" | "api:delivery:read" | "api:delivery:replay" | "api:webhook_secret:read" | "api:webhook_secret:rotate" | "rpc:evm:read" | "rpc:evm:send" | "rpc:bitcoin:read" | "rpc:bitcoin:send" | "rpc:solana:read" | "rpc:solana:send" | "rpc:tron:read" | "rpc:tron:send" | "mgt:workspace:read" | "mgt:workspace:write" | "mgt:project:read" | "mgt:project:write" | "mgt:member:read" | "mgt:member:write" | "mgt:key:read" | "mgt:key:write" | "mgt:audit:read" | "mgt:quota:read" | "mgt:quota:write")[];
            /**
             * @description When it ends. Null or absent: never.
             * @example 2027-01-01T00:00:00Z
             */
            expires_at?: string | null;
        };
        CreatedKey: {
            /**
             * Format: uuid
             * @description Of the key.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description `api`: the platform API of one project; `rpc`: the RPC gateway; `mgt`: the management interface.
             * @enum {string}
             */
            type: "api" | "rpc" | "mgt";
            /**
             * @description As its user calls it.
             * @example Backend
             */
            name: string;
            /**
             * @description The key without its secret part.
             * @example svc_api_****bPlI
             */
            mask: string;
            /**
             * @description The project of an api key. Null for keys of the workspace.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string | null;
            /**
             * @description What it may do; fixed when it is made.
             * @example [
             *       "api:address:read"
             *     ]
             */
            permissions: ("api:blockchain:read" | "api:blockchain:write" | "api:asset:read" | "api:asset:write" | "api:token:read" | "api:token:write" | "api:public_key:read" | "api:public_key:write" | "api:address:read" | "api:address:write" | "api:notification_channel:read" | "api:notification_channel:write" | "api:confirmation_policy:read" | "api:confirmation_policy:write" | "api:block:read" | "api:transaction:read" | "api:event:read" | "api:delivery:read" | "api:delivery:replay" | "api:webhook_secret:read" | "api:webhook_secret:rotate" | "rpc:evm:read" | "rpc:evm:send" | "rpc:bitcoin:read" | "rpc:bitcoin:send" | "rpc:solana:read" | "rpc:solana:send" | "rpc:tron:read" | "rpc:tron:send" | "mgt:workspace:read" | "mgt:workspace:write" | "mgt:project:read" | "mgt:project:write" | "mgt:member:read" | "mgt:member:write" | "mgt:key:read" | "mgt:key:write" | "mgt:audit:read" | "mgt:quota:read" | "mgt:quota:write")[];
            /**
             * @description `expired` and `revoked` keys are refused.
             * @enum {string}
             */
            status: "active" | "expired" | "revoked";
            /**
             * @description When it ends. Null: never.
             * @example null
             */
            expires_at: string | null;
            /**
             * @description When it was revoked. Null otherwise.
             * @example null
             */
            revoked_at: string | null;
            /**
             * @description To the minute. Null while it was not used.
             * @example 2026-01-01T00:00:00.000Z
             */
            last_used_at: string | null;
            /**
             * @description The key that a roll put in its place. Null otherwise.
             * @example null
             */
            replaced_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * @description The key itself. Shown this once.
             * @example svc_api_0123456789ABCDEFGHIJKLMN2YbPlI
             */
            key: string;
        };
        RollKeyInput: {
            /**
             * Format: int32
             * @description How long the old key goes on, in seconds, at most 30 days.
             * @example 3600
             */
            grace_seconds: number;
        };
        RollKeyResult: {
            /**
             * Format: uuid
             * @description Of the key.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description `api`: the platform API of one project; `rpc`: the RPC gateway; `mgt`: the management interface.
             * @enum {string}
             */
            type: "api" | "rpc" | "mgt";
            /**
             * @description As its user calls it.
             * @example Backend
             */
            name: string;
            /**
             * @description The key without its secret part.
             * @example svc_api_****bPlI
             */
            mask: string;
            /**
             * @description The project of an api key. Null for keys of the workspace.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            project_id: string | null;
            /**
             * @description What it may do; fixed when it is made.
             * @example [
             *       "api:address:read"
             *     ]
             */
            permissions: ("api:blockchain:read" | "api:blockchain:write" | "api:asset:read" | "api:asset:write" | "api:token:read" | "api:token:write" | "api:public_key:read" | "api:public_key:write" | "api:address:read" | "api:address:write" | "api:notification_channel:read" | "api:notification_channel:write" | "api:confirmation_policy:read" | "api:confirmation_policy:write" | "api:block:read" | "api:transaction:read" | "api:event:read" | "api:delivery:read" | "api:delivery:replay" | "api:webhook_secret:read" | "api:webhook_secret:rotate" | "rpc:evm:read" | "rpc:evm:send" | "rpc:bitcoin:read" | "rpc:bitcoin:send" | "rpc:solana:read" | "rpc:solana:send" | "rpc:tron:read" | "rpc:tron:send" | "mgt:workspace:read" | "mgt:workspace:write" | "mgt:project:read" | "mgt:project:write" | "mgt:member:read" | "mgt:member:write" | "mgt:key:read" | "mgt:key:write" | "mgt:audit:read" | "mgt:quota:read" | "mgt:quota:write")[];
            /**
             * @description `expired` and `revoked` keys are refused.
             * @enum {string}
             */
            status: "active" | "expired" | "revoked";
            /**
             * @description When it ends. Null: never.
             * @example null
             */
            expires_at: string | null;
            /**
             * @description When it was revoked. Null otherwise.
             * @example null
             */
            revoked_at: string | null;
            /**
             * @description To the minute. Null while it was not used.
             * @example 2026-01-01T00:00:00.000Z
             */
            last_used_at: string | null;
            /**
             * @description The key that a roll put in its place. Null otherwise.
             * @example null
             */
            replaced_by: string | null;
            /**
             * Format: date-time
             * @description When it was created.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
            /**
             * @description The key itself. Shown this once.
             * @example svc_api_0123456789ABCDEFGHIJKLMN2YbPlI
             */
            key: string;
            /** @description The old key. */
            previous: components["schemas"]["Key"];
        };
        AuditLog: {
            /**
             * Format: uuid
             * @description Of the entry.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            id: string;
            /**
             * @description What was done.
             * @enum {string}
             */
            action: "workspace.updated" | "workspace.quotas_updated" | "workspace.endpoint_updated" | "workspace.network_set" | "workspace.network_deleted" | "project.created" | "project.updated" | "project.deleted" | "project.addresses_imported" | "member.created" | "member.updated" | "member.deleted" | "key.created" | "key.rolled" | "key.revoked" | "address.derived" | "address.deleted" | "public_key.deleted" | "channel.deleted" | "channel.moved" | "channel.secret_rotated" | "channel.secret_overlap_ended" | "portal_session.created" | "portal_session.deleted" | "incident.accepted" | "reprocess.requested" | "reset.requested" | "skip.requested" | "token.refreshed" | "token.corrected";
            /** @description The key that asked, the member who signed in, or the service. */
            actor: {
                /**
                 * @description Of the key. Null where a member signed in, or a service did it on its own.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                key_id: string | null;
                /**
                 * @description Of the member who signed in. Null where a key asked.
                 * @example null
                 */
                member_id: string | null;
                /**
                 * @description Of the key at that time, the e-mail address of the member, or the name of the service.
                 * @example Backend
                 */
                name: string;
                /**
                 * @description The key without its secret part.
                 * @example svc_mgt_****bPlI
                 */
                mask: string | null;
            };
            /** @description What was changed. */
            target: {
                /**
                 * @description What kind of thing it is.
                 * @enum {string}
                 */
                type: "workspace" | "project" | "member" | "key" | "address" | "public_key" | "channel" | "portal_session" | "incident" | "reprocess" | "skip" | "reset" | "token";
                /**
                 * Format: uuid
                 * @description Of the thing. A token has none of its own: it is made of its gid, which `changes` have.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                id: string;
            };
            /**
             * @description By member of the record; null for what was not there before, or is not there after.
             * @example {
             *       "name": {
             *         "from": "Shop",
             *         "to": "Store"
             *       }
             *     }
             */
            changes: {
                [key: string]: {
                    /**
                     * @description What it was.
                     * @example Shop
                     */
                    from: unknown;
                    /**
                     * @description What it became.
                     * @example Store
                     */
                    to: unknown;
                };
            };
            /**
             * @description `X-Request-Id` of the request. Empty where a service did it on its own.
             * @example 8d7f5a52-1f34-4d0c-9f5e-0e5b1a1d2c3b
             */
            request_id: string;
            /**
             * Format: date-time
             * @description When it was done.
             * @example 2026-01-01T00:00:00.000Z
             */
            created_at: string;
        };
        AuditLogPage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["AuditLog"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
        Usage: {
            /**
             * Format: date-time
             * @description Beginning of the hour.
             * @example 2026-01-01T00:00:00.000Z
             */
            hour: string;
            /**
             * Format: uuid
             * @description The RPC key.
             * @example 6f1d1f4e-0000-4000-8000-000000000001
             */
            key_id: string;
            /**
             * @description The chain as CAIP-2.
             * @example eip155:1
             */
            chain_gid: string;
            /**
             * @description The method; `other` for those that the gateway does not know.
             * @example eth_getBalance
             */
            method: string;
            /**
             * Format: int64
             * @description Calls that were admitted.
             * @example 1200
             */
            requests: number;
            /**
             * Format: int64
             * @description Of them: refused by the gateway after that, or answered with a status of 5xx.
             * @example 3
             */
            failures: number;
            /**
             * Format: int64
             * @description Of them: answered without asking a node.
             * @example 400
             */
            cached: number;
            /**
             * Format: int64
             * @description Bytes of their bodies.
             * @example 120000
             */
            bytes_in: number;
            /**
             * Format: int64
             * @description Bytes of the answers.
             * @example 480000
             */
            bytes_out: number;
            /** @description How long they took, from the call to the end of its answer; a call of a batch takes as long as the batch. Null where no time was taken. */
            latency: {
                /**
                 * Format: int64
                 * @description Calls whose time was taken: all that were answered, but for subscriptions.
                 * @example 1190
                 */
                calls: number;
                /**
                 * Format: double
                 * @description Their mean in milliseconds.
                 * @example 12.41
                 */
                mean_ms: number;
                /**
                 * @description At least 95 of 100 took at most so many milliseconds: the bound of a bucket. Null: more than the highest bound.
                 * @example 50
                 */
                p95_ms: number | null;
                /** @description The calls by how long they took, the fastest first, without empty buckets: add them up over rows. The bounds are 1, 2, 5, 10, 20, 50 and so on up to 10,000, and 30,000. */
                buckets: {
                    /**
                     * @description They took at most so long, and longer than the bound before. Null: longer than any bound.
                     * @example 50
                     */
                    up_to_ms: number | null;
                    /**
                     * Format: int64
                     * @description How many.
                     * @example 310
                     */
                    calls: number;
                }[];
            } | null;
        };
        UsagePage: {
            /** @description The page, in the order that was asked for. */
            items: components["schemas"]["Usage"][];
            /** @description Position and size of the list. */
            meta: components["schemas"]["PageMeta"];
        };
    };
    responses: {
        /** @description The request is not valid. */
        InvalidRequest: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://docs.example.com/apis/problems/invalid-request",
                 *       "title": "Invalid Request",
                 *       "status": 400,
                 *       "detail": "The request is not valid.",
                 *       "instance": "/v1/addresses",
                 *       "fields": [
                 *         {
                 *           "name": "limit",
                 *           "reason": "expected at most 100, got 500"
                 *         }
                 *       ]
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The API key is missing or invalid. */
        Unauthorized: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://docs.example.com/errors/unauthorized",
                 *       "title": "Unauthorized",
                 *       "status": 401,
                 *       "detail": "The API key is missing or invalid.",
                 *       "instance": "/v1/addresses"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The API key does not have the permission that this request needs. */
        Forbidden: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://docs.example.com/errors/forbidden",
                 *       "title": "Forbidden",
                 *       "status": 403,
                 *       "detail": "The API key does not have the permission that this request needs.",
                 *       "instance": "/v1/addresses"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The resource does not exist. */
        NotFound: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://docs.example.com/apis/problems/not-found",
                 *       "title": "Not Found",
                 *       "status": 404,
                 *       "detail": "The resource does not exist.",
                 *       "instance": "/v1/addresses"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The resource does not have this method. */
        MethodNotAllowed: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                Allow: components["headers"]["Allow"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://docs.example.com/apis/problems/method-not-allowed",
                 *       "title": "Method Not Allowed",
                 *       "status": 405,
                 *       "detail": "The resource does not have this method.",
                 *       "instance": "/v1/addresses"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request conflicts with the resource's state. */
        Conflict: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://docs.example.com/apis/problems/conflict",
                 *       "title": "Conflict",
                 *       "status": 409,
                 *       "detail": "The request conflicts with the resource's state.",
                 *       "instance": "/v1/addresses"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description What was asked for is kept no longer. */
        Gone: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://docs.example.com/apis/problems/gone",
                 *       "title": "Gone",
                 *       "status": 410,
                 *       "detail": "What was asked for is kept no longer.",
                 *       "instance": "/v1/addresses"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request body is too large. */
        ContentTooLarge: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://docs.example.com/apis/problems/content-too-large",
                 *       "title": "Content Too Large",
                 *       "status": 413,
                 *       "detail": "The request body is too large.",
                 *       "instance": "/v1/addresses"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The request body must be application/json. */
        UnsupportedMediaType: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://docs.example.com/apis/problems/unsupported-media-type",
                 *       "title": "Unsupported Media Type",
                 *       "status": 415,
                 *       "detail": "The request body must be application/json.",
                 *       "instance": "/v1/addresses"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A precondition of the request is not met. */
        UnprocessableEntity: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://docs.example.com/apis/problems/unprocessable-entity",
                 *       "title": "Unprocessable Entity",
                 *       "status": 422,
                 *       "detail": "A precondition of the request is not met.",
                 *       "instance": "/v1/addresses"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The rate limit is exceeded. */
        TooManyRequests: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://docs.example.com/apis/problems/rate-limit",
                 *       "title": "Too Many Requests",
                 *       "status": 429,
                 *       "detail": "The rate limit is exceeded.",
                 *       "instance": "/v1/addresses"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description An unexpected error happened on the server. */
        InternalServerError: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://api.example.com/problems/internal-error",
                 *       "title": "Internal Server Error",
                 *       "status": 500,
                 *       "detail": "An unexpected error happened on the server.",
                 *       "instance": "/v1/addresses"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description A service that this request needs could not be reached. */
        BadGateway: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://api.example.com/problems/bad-gateway",
                 *       "title": "Bad Gateway",
                 *       "status": 502,
                 *       "detail": "A service that this request needs could not be reached.",
                 *       "instance": "/v1/addresses"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
        /** @description The server cannot take this request at the moment. */
        ServiceUnavailable: {
            headers: {
                "X-Request-Id": components["headers"]["X-Request-Id"];
                "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                "Retry-After": components["headers"]["Retry-After"];
                [name: string]: unknown;
            };
            content: {
                /**
                 * @example {
                 *       "type": "https://api.example.com/problems/service-unavailable",
                 *       "title": "Service Unavailable",
                 *       "status": 503,
                 *       "detail": "The server cannot take this request at the moment.",
                 *       "instance": "/v1/addresses"
                 *     }
                 */
                "application/problem+json": components["schemas"]["Problem"];
            };
        };
    };
    parameters: never;
    requestBodies: never;
    headers: {
        /** @description The client's own when it sent one, else a new UUID; stands in every log line of the request. */
        "X-Request-Id": string;
        /** @description Requests that the key may make in 60 seconds. */
        "X-RateLimit-Limit": number;
        /** @description What is left of them. */
        "X-RateLimit-Remaining": number;
        /** @description When the limit is whole again, in Unix seconds. */
        "X-RateLimit-Reset": number;
        /** @description Seconds after which the same request may succeed. */
        "Retry-After": number;
        /** @description `true` on the kept answer of a request that was sent again. */
        "Idempotency-Replayed": "true";
        /** @description The path of what was created. */
        Location: string;
        /** @description The methods that the path has. */
        Allow: string;
    };
    pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
    getVersion: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "name": "chainwatch",
                     *       "version": "0.1.0",
                     *       "api_version": "v1",
                     *       "commit": "798728f",
                     *       "built_at": "2026-01-01T00:00:00.000Z",
                     *       "signature_versions": [
                     *         "v1"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Version"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": {
                     *         "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *         "type": "api",
                     *         "name": "Backend",
                     *         "mask": "svc_api_****bPlI",
                     *         "permissions": [
                     *           "api:address:read"
                     *         ],
                     *         "expires_at": null
                     *       },
                     *       "member": {
                     *         "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *         "email": "ada@example.com",
                     *         "role": "owner"
                     *       },
                     *       "permissions": [
                     *         "mgt:project:read"
                     *       ],
                     *       "workspace": {
                     *         "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *         "name": "Acme",
                     *         "is_operator": true
                     *       },
                     *       "workspaces": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "name": "Acme"
                     *         }
                     *       ],
                     *       "chain_families": [
                     *         "evm",
                     *         "bitcoin"
                     *       ],
                     *       "projects": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "name": "Shop"
                     *         }
                     *       ],
                     *       "rpc_url": "https://rpc.example.com",
                     *       "playground_url": null,
                     *       "project_permissions": [
                     *         "api:address:read"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSession: {
        parameters: {
            query?: never;
            header: {
                /**
                 * @description An api key or a management key. A session makes no other one.
                 * @example svc_api_0123456789ABCDEFGHIJKLMN2YbPlI
                 */
                "X-Api-Key": string;
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "key": {
                     *         "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *         "type": "api",
                     *         "name": "Backend",
                     *         "mask": "svc_api_****bPlI",
                     *         "permissions": [
                     *           "api:address:read"
                     *         ],
                     *         "expires_at": null
                     *       },
                     *       "member": {
                     *         "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *         "email": "ada@example.com",
                     *         "role": "owner"
                     *       },
                     *       "permissions": [
                     *         "mgt:project:read"
                     *       ],
                     *       "workspace": {
                     *         "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *         "name": "Acme",
                     *         "is_operator": true
                     *       },
                     *       "workspaces": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "name": "Acme"
                     *         }
                     *       ],
                     *       "chain_families": [
                     *         "evm",
                     *         "bitcoin"
                     *       ],
                     *       "projects": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "name": "Shop"
                     *         }
                     *       ],
                     *       "rpc_url": "https://rpc.example.com",
                     *       "playground_url": null,
                     *       "project_permissions": [
                     *         "api:address:read"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["Session"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteSession: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    search: {
        parameters: {
            query: {
                /**
                 * @description An address, a transaction hash, the id of an event, delivery, attempt, transaction or request, or a part of a label or name.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                q: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "type": "address",
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "title": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *           "label": "Customer 42",
                     *           "status": null,
                     *           "chain_gid": "eip155:1",
                     *           "channel_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "created_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["SearchHitList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getStats: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "address_count": 1200,
                     *       "transactions": {
                     *         "pending": 3,
                     *         "detected": 3,
                     *         "confirmed": 3,
                     *         "reorged": 3,
                     *         "failed": 3
                     *       },
                     *       "channels": {
                     *         "active": 3,
                     *         "failing": 3,
                     *         "failed": 3,
                     *         "archived": 3
                     *       },
                     *       "deliveries": {
                     *         "pending": 3,
                     *         "held": 3,
                     *         "delivered": 3,
                     *         "failed": 3,
                     *         "discarded": 3
                     *       },
                     *       "events": {
                     *         "since": "2026-01-01T00:00:00.000Z",
                     *         "minutes": [
                     *           {
                     *             "at": "2026-01-01T00:00:00.000Z",
                     *             "count": 12
                     *           }
                     *         ]
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Stats"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listNetworks: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "gid": "eip155:5042",
                     *           "family": "evm",
                     *           "name": "arc",
                     *           "short_name": "arc",
                     *           "display_name": "Arc",
                     *           "aliases": [
                     *             "arc-mainnet"
                     *           ],
                     *           "is_testnet": false,
                     *           "is_local": false,
                     *           "native": {
                     *             "gid": "eip155:5042/slip44:60",
                     *             "symbol": "USDC",
                     *             "name": "USD Coin",
                     *             "decimals": 18,
                     *             "aliases": [
                     *               "eip155:5042/slip44:5042"
                     *             ]
                     *           },
                     *           "token_namespace": "erc20",
                     *           "confirmation": {
                     *             "type": "tag",
                     *             "tag": "finalized",
                     *             "depth": 12
                     *           },
                     *           "block_time_ms": 500,
                     *           "evidence_delay_ms": 4000,
                     *           "untold_reasons": [
                     *             "withdrawal",
                     *             "adjustment"
                     *           ],
                     *           "wrapped_native": "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
                     *           "tokens": [
                     *             {
                     *               "gid": "eip155:1/erc20:0x06012c8cf97bead5deae237070f9587f8e7a266d",
                     *               "type": "nft",
                     *               "symbol": "CK",
                     *               "name": "CryptoKitties",
                     *               "decimals": 0
                     *             }
                     *           ],
                     *           "explorer": {
                     *             "address": "https://explorer.example.com/address/{address}",
                     *             "transaction": "https://explorer.example.com/tx/{hash}",
                     *             "block": "https://explorer.example.com/block/{number}"
                     *           },
                     *           "image_url": "https://chainwatch.example.com/logos/ethereum.svg",
                     *           "traits": {
                     *             "stack": "ethereum"
                     *           },
                     *           "source": "built_in",
                     *           "is_used": true
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["NetworkList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getNetwork: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:5042",
                     *       "family": "evm",
                     *       "name": "arc",
                     *       "short_name": "arc",
                     *       "display_name": "Arc",
                     *       "aliases": [
                     *         "arc-mainnet"
                     *       ],
                     *       "is_testnet": false,
                     *       "is_local": false,
                     *       "native": {
                     *         "gid": "eip155:5042/slip44:60",
                     *         "symbol": "USDC",
                     *         "name": "USD Coin",
                     *         "decimals": 18,
                     *         "aliases": [
                     *           "eip155:5042/slip44:5042"
                     *         ]
                     *       },
                     *       "token_namespace": "erc20",
                     *       "confirmation": {
                     *         "type": "tag",
                     *         "tag": "finalized",
                     *         "depth": 12
                     *       },
                     *       "block_time_ms": 500,
                     *       "evidence_delay_ms": 4000,
                     *       "untold_reasons": [
                     *         "withdrawal",
                     *         "adjustment"
                     *       ],
                     *       "wrapped_native": "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
                     *       "tokens": [
                     *         {
                     *           "gid": "eip155:1/erc20:0x06012c8cf97bead5deae237070f9587f8e7a266d",
                     *           "type": "nft",
                     *           "symbol": "CK",
                     *           "name": "CryptoKitties",
                     *           "decimals": 0
                     *         }
                     *       ],
                     *       "explorer": {
                     *         "address": "https://explorer.example.com/address/{address}",
                     *         "transaction": "https://explorer.example.com/tx/{hash}",
                     *         "block": "https://explorer.example.com/block/{number}"
                     *       },
                     *       "image_url": "https://chainwatch.example.com/logos/ethereum.svg",
                     *       "traits": {
                     *         "stack": "ethereum"
                     *       },
                     *       "source": "built_in",
                     *       "is_used": true
                     *     }
                     */
                    "application/json": components["schemas"]["Network"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    putNetwork: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "gid": "eip155:1",
                 *       "family": "evm",
                 *       "name": "ethereum",
                 *       "aliases": [
                 *         "eth",
                 *         "eth-mainnet",
                 *         "ethereum-mainnet"
                 *       ],
                 *       "native": {
                 *         "gid": "eip155:1/slip44:60",
                 *         "symbol": "ETH",
                 *         "name": "Ether",
                 *         "decimals": 18
                 *       },
                 *       "confirmation": {
                 *         "type": "tag",
                 *         "tag": "finalized",
                 *         "depth": 12
                 *       },
                 *       "short_name": "eth",
                 *       "display_name": "Ethereum",
                 *       "is_testnet": false,
                 *       "token_namespace": "erc20",
                 *       "block_time_ms": 12000,
                 *       "untold_reasons": [
                 *         "withdrawal",
                 *         "adjustment"
                 *       ],
                 *       "wrapped_native": "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
                 *       "traits": {
                 *         "stack": "ethereum",
                 *         "header": "strict",
                 *         "roots": "strict",
                 *         "impersonation": false,
                 *         "native_token_logs": "payouts",
                 *         "withdrawals_are_native": true,
                 *         "rewards": "mined",
                 *         "multicall3": true
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["PutNetworkInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:5042",
                     *       "family": "evm",
                     *       "name": "arc",
                     *       "short_name": "arc",
                     *       "display_name": "Arc",
                     *       "aliases": [
                     *         "arc-mainnet"
                     *       ],
                     *       "is_testnet": false,
                     *       "is_local": false,
                     *       "native": {
                     *         "gid": "eip155:5042/slip44:60",
                     *         "symbol": "USDC",
                     *         "name": "USD Coin",
                     *         "decimals": 18,
                     *         "aliases": [
                     *           "eip155:5042/slip44:5042"
                     *         ]
                     *       },
                     *       "token_namespace": "erc20",
                     *       "confirmation": {
                     *         "type": "tag",
                     *         "tag": "finalized",
                     *         "depth": 12
                     *       },
                     *       "block_time_ms": 500,
                     *       "evidence_delay_ms": 4000,
                     *       "untold_reasons": [
                     *         "withdrawal",
                     *         "adjustment"
                     *       ],
                     *       "wrapped_native": "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
                     *       "tokens": [
                     *         {
                     *           "gid": "eip155:1/erc20:0x06012c8cf97bead5deae237070f9587f8e7a266d",
                     *           "type": "nft",
                     *           "symbol": "CK",
                     *           "name": "CryptoKitties",
                     *           "decimals": 0
                     *         }
                     *       ],
                     *       "explorer": {
                     *         "address": "https://explorer.example.com/address/{address}",
                     *         "transaction": "https://explorer.example.com/tx/{hash}",
                     *         "block": "https://explorer.example.com/block/{number}"
                     *       },
                     *       "image_url": "https://chainwatch.example.com/logos/ethereum.svg",
                     *       "traits": {
                     *         "stack": "ethereum"
                     *       },
                     *       "source": "built_in",
                     *       "is_used": true
                     *     }
                     */
                    "application/json": components["schemas"]["Network"];
                };
            };
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:5042",
                     *       "family": "evm",
                     *       "name": "arc",
                     *       "short_name": "arc",
                     *       "display_name": "Arc",
                     *       "aliases": [
                     *         "arc-mainnet"
                     *       ],
                     *       "is_testnet": false,
                     *       "is_local": false,
                     *       "native": {
                     *         "gid": "eip155:5042/slip44:60",
                     *         "symbol": "USDC",
                     *         "name": "USD Coin",
                     *         "decimals": 18,
                     *         "aliases": [
                     *           "eip155:5042/slip44:5042"
                     *         ]
                     *       },
                     *       "token_namespace": "erc20",
                     *       "confirmation": {
                     *         "type": "tag",
                     *         "tag": "finalized",
                     *         "depth": 12
                     *       },
                     *       "block_time_ms": 500,
                     *       "evidence_delay_ms": 4000,
                     *       "untold_reasons": [
                     *         "withdrawal",
                     *         "adjustment"
                     *       ],
                     *       "wrapped_native": "0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2",
                     *       "tokens": [
                     *         {
                     *           "gid": "eip155:1/erc20:0x06012c8cf97bead5deae237070f9587f8e7a266d",
                     *           "type": "nft",
                     *           "symbol": "CK",
                     *           "name": "CryptoKitties",
                     *           "decimals": 0
                     *         }
                     *       ],
                     *       "explorer": {
                     *         "address": "https://explorer.example.com/address/{address}",
                     *         "transaction": "https://explorer.example.com/tx/{hash}",
                     *         "block": "https://explorer.example.com/block/{number}"
                     *       },
                     *       "image_url": "https://chainwatch.example.com/logos/ethereum.svg",
                     *       "traits": {
                     *         "stack": "ethereum"
                     *       },
                     *       "source": "built_in",
                     *       "is_used": true
                     *     }
                     */
                    "application/json": components["schemas"]["Network"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteNetwork: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBlockchains: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "name" | "-name" | "short_name" | "-short_name" | "gid" | "-gid" | "is_active" | "-is_active";
                /**
                 * @description Only those whose name or label holds this text, upper or lower case.
                 * @example shop
                 */
                search?: string;
                /** @description Only chains of these families. Repeated, comma-separated, or both; the name may end in `[]`. */
                families?: ("evm" | "bitcoin" | "solana" | "tron")[];
                /** @description Only active, or only inactive chains. */
                is_active?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "gid": "eip155:1",
                     *           "image_url": "https://example.com/ethereum.svg",
                     *           "name": "ethereum",
                     *           "short_name": "ETH",
                     *           "is_active": true,
                     *           "family": "evm",
                     *           "has_endpoint": true,
                     *           "unproved": "hold",
                     *           "untold_reasons": [
                     *             "withdrawal",
                     *             "adjustment"
                     *           ],
                     *           "sync": {
                     *             "status": "following",
                     *             "reason": null,
                     *             "updated_at": "2026-01-01T00:00:00.000Z",
                     *             "head_number": 21000000,
                     *             "node_head_number": 21000002,
                     *             "finalized_number": 20999936,
                     *             "processed_number": 21000000,
                     *             "lag_blocks": 2,
                     *             "balances_checked_at": "2026-11-28T09:00:00.000Z",
                     *             "block_time_ms": 12000,
                     *             "configured_block_time_ms": 12000,
                     *             "proofs": [
                     *               "header_hash",
                     *               "transactions_root",
                     *               "receipts_root"
                     *             ],
                     *             "incident_count": 0
                     *           }
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["BlockchainPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createBlockchain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "chain_gid": "eip155:1"
                 *     }
                 */
                "application/json": components["schemas"]["CreateBlockchainInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:1",
                     *       "image_url": "https://example.com/ethereum.svg",
                     *       "name": "ethereum",
                     *       "short_name": "ETH",
                     *       "is_active": true,
                     *       "family": "evm",
                     *       "has_endpoint": true,
                     *       "unproved": "hold",
                     *       "untold_reasons": [
                     *         "withdrawal",
                     *         "adjustment"
                     *       ],
                     *       "sync": {
                     *         "status": "following",
                     *         "reason": null,
                     *         "updated_at": "2026-01-01T00:00:00.000Z",
                     *         "head_number": 21000000,
                     *         "node_head_number": 21000002,
                     *         "finalized_number": 20999936,
                     *         "processed_number": 21000000,
                     *         "lag_blocks": 2,
                     *         "balances_checked_at": "2026-11-28T09:00:00.000Z",
                     *         "block_time_ms": 12000,
                     *         "configured_block_time_ms": 12000,
                     *         "proofs": [
                     *           "header_hash",
                     *           "transactions_root",
                     *           "receipts_root"
                     *         ],
                     *         "incident_count": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Blockchain"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBlockchain: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:1",
                     *       "image_url": "https://example.com/ethereum.svg",
                     *       "name": "ethereum",
                     *       "short_name": "ETH",
                     *       "is_active": true,
                     *       "family": "evm",
                     *       "has_endpoint": true,
                     *       "unproved": "hold",
                     *       "untold_reasons": [
                     *         "withdrawal",
                     *         "adjustment"
                     *       ],
                     *       "sync": {
                     *         "status": "following",
                     *         "reason": null,
                     *         "updated_at": "2026-01-01T00:00:00.000Z",
                     *         "head_number": 21000000,
                     *         "node_head_number": 21000002,
                     *         "finalized_number": 20999936,
                     *         "processed_number": 21000000,
                     *         "lag_blocks": 2,
                     *         "balances_checked_at": "2026-11-28T09:00:00.000Z",
                     *         "block_time_ms": 12000,
                     *         "configured_block_time_ms": 12000,
                     *         "proofs": [
                     *           "header_hash",
                     *           "transactions_root",
                     *           "receipts_root"
                     *         ],
                     *         "incident_count": 0
                     *       },
                     *       "upgrades": [
                     *         {
                     *           "name": "Lagoon",
                     *           "date": "2026-12-08T02:30:00Z",
                     *           "height": null,
                     *           "certainty": "verified",
                     *           "changes": "CAS20 tokens (BEP-702): a Memo event after the Transfer it belongs to.",
                     *           "state": "generated",
                     *           "reason": null,
                     *           "sources": [
                     *             "https://github.com/bnb-chain/bsc/releases/tag/v1.8.2"
                     *           ]
                     *         }
                     *       ],
                     *       "upgrades_reviewed": "2026-11-27"
                     *     }
                     */
                    "application/json": components["schemas"]["BlockchainDetails"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    activateBlockchain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "from_block": 21000000
                 *     }
                 */
                "application/json": components["schemas"]["ActivateBlockchainInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:1",
                     *       "image_url": "https://example.com/ethereum.svg",
                     *       "name": "ethereum",
                     *       "short_name": "ETH",
                     *       "is_active": true,
                     *       "family": "evm",
                     *       "has_endpoint": true,
                     *       "unproved": "hold",
                     *       "untold_reasons": [
                     *         "withdrawal",
                     *         "adjustment"
                     *       ],
                     *       "sync": {
                     *         "status": "following",
                     *         "reason": null,
                     *         "updated_at": "2026-01-01T00:00:00.000Z",
                     *         "head_number": 21000000,
                     *         "node_head_number": 21000002,
                     *         "finalized_number": 20999936,
                     *         "processed_number": 21000000,
                     *         "lag_blocks": 2,
                     *         "balances_checked_at": "2026-11-28T09:00:00.000Z",
                     *         "block_time_ms": 12000,
                     *         "configured_block_time_ms": 12000,
                     *         "proofs": [
                     *           "header_hash",
                     *           "transactions_root",
                     *           "receipts_root"
                     *         ],
                     *         "incident_count": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Blockchain"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deactivateBlockchain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:1",
                     *       "image_url": "https://example.com/ethereum.svg",
                     *       "name": "ethereum",
                     *       "short_name": "ETH",
                     *       "is_active": true,
                     *       "family": "evm",
                     *       "has_endpoint": true,
                     *       "unproved": "hold",
                     *       "untold_reasons": [
                     *         "withdrawal",
                     *         "adjustment"
                     *       ],
                     *       "sync": {
                     *         "status": "following",
                     *         "reason": null,
                     *         "updated_at": "2026-01-01T00:00:00.000Z",
                     *         "head_number": 21000000,
                     *         "node_head_number": 21000002,
                     *         "finalized_number": 20999936,
                     *         "processed_number": 21000000,
                     *         "lag_blocks": 2,
                     *         "balances_checked_at": "2026-11-28T09:00:00.000Z",
                     *         "block_time_ms": 12000,
                     *         "configured_block_time_ms": 12000,
                     *         "proofs": [
                     *           "header_hash",
                     *           "transactions_root",
                     *           "receipts_root"
                     *         ],
                     *         "incident_count": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Blockchain"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    reprocessBlocks: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from_block": 21000000,
                 *       "to_block": 21000100
                 *     }
                 */
                "application/json": components["schemas"]["ReprocessBlocksInput"];
            };
        };
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "chain_gid": "eip155:1",
                     *       "status": "running",
                     *       "from_block": 21000000,
                     *       "to_block": 21000100,
                     *       "next_block": 21000000,
                     *       "created_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Reprocess"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    resetBlockchain: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "confirm": "eip155:31337"
                 *     }
                 */
                "application/json": components["schemas"]["ResetBlockchainInput"];
            };
        };
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "chain_gid": "eip155:31337",
                     *       "status": "running",
                     *       "from_block": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Reset"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    skipBlocks: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "from_block": 21000000,
                 *       "to_block": 21000002,
                 *       "confirm": "eip155:1"
                 *     }
                 */
                "application/json": components["schemas"]["SkipBlocksInput"];
            };
        };
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "chain_gid": "eip155:1",
                     *       "from_block": 21000000,
                     *       "to_block": 21000002,
                     *       "created_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Skip"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listNodes: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "reported_at": "2026-01-01T00:00:00.000Z",
                     *       "items": [
                     *         {
                     *           "url": "https://node.example.com:443",
                     *           "is_in_use": true,
                     *           "status": "serving",
                     *           "head_number": 21000002,
                     *           "latency_ms": 42,
                     *           "last_success_at": "2026-01-01T00:00:00.000Z",
                     *           "last_error_at": null,
                     *           "last_error": null
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ListNodesResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listIncidents: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at";
                /** @description Only those with one of these statuses. Repeated, comma-separated, or both; the name may end in `[]`. */
                statuses?: ("open" | "resolved" | "accepted")[];
            };
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "chain_gid": "eip155:1",
                     *           "kind": "transaction-type:0x7d",
                     *           "status": "open",
                     *           "block_number": 21000000,
                     *           "last_block_number": 21000100,
                     *           "transaction_hash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *           "subject": {
                     *             "type": "address",
                     *             "id": "6f1d1f4e-0000-4000-8000-000000000002"
                     *           },
                     *           "asset_gid": null,
                     *           "expected": "transaction types 0x0 to 0x4",
                     *           "got": "transaction type 0x7d",
                     *           "is_contradicted": true,
                     *           "upgrade": null,
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "resolved_at": null,
                     *           "accepted_at": null
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["IncidentPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listOwnIncidents: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at";
                /** @description Only those with one of these statuses. Repeated, comma-separated, or both; the name may end in `[]`. */
                statuses?: ("open" | "resolved" | "accepted")[];
                /**
                 * @description Only what belongs to these chains (CAIP-2). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "chain_gid": "eip155:1",
                     *           "kind": "transaction-type:0x7d",
                     *           "status": "open",
                     *           "block_number": 21000000,
                     *           "last_block_number": 21000100,
                     *           "transaction_hash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *           "subject": {
                     *             "type": "address",
                     *             "id": "6f1d1f4e-0000-4000-8000-000000000002"
                     *           },
                     *           "asset_gid": null,
                     *           "expected": "transaction types 0x0 to 0x4",
                     *           "got": "transaction type 0x7d",
                     *           "is_contradicted": true,
                     *           "upgrade": null,
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "resolved_at": null,
                     *           "accepted_at": null
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["IncidentPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    acceptIncident: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
                /**
                 * @description The incident, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                incident_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "chain_gid": "eip155:1",
                     *       "kind": "transaction-type:0x7d",
                     *       "status": "open",
                     *       "block_number": 21000000,
                     *       "last_block_number": 21000100,
                     *       "transaction_hash": "0x88df016429689c079f3b2f6ad39fa052532c56795b733da78a91ebe6a713944b",
                     *       "subject": {
                     *         "type": "address",
                     *         "id": "6f1d1f4e-0000-4000-8000-000000000002"
                     *       },
                     *       "asset_gid": null,
                     *       "expected": "transaction types 0x0 to 0x4",
                     *       "got": "transaction type 0x7d",
                     *       "is_contradicted": true,
                     *       "upgrade": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "resolved_at": null,
                     *       "accepted_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Incident"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateEvmEndpoint: {
        parameters: {
            query?: {
                /** @description Ask the node first which chain it serves; 422 where it is another one. */
                verify?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "endpoint_url": "https://node.example.com:8545"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateEvmEndpointInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:1",
                     *       "image_url": "https://example.com/ethereum.svg",
                     *       "name": "ethereum",
                     *       "short_name": "ETH",
                     *       "is_active": true,
                     *       "family": "evm",
                     *       "has_endpoint": true,
                     *       "unproved": "hold",
                     *       "untold_reasons": [
                     *         "withdrawal",
                     *         "adjustment"
                     *       ],
                     *       "sync": {
                     *         "status": "following",
                     *         "reason": null,
                     *         "updated_at": "2026-01-01T00:00:00.000Z",
                     *         "head_number": 21000000,
                     *         "node_head_number": 21000002,
                     *         "finalized_number": 20999936,
                     *         "processed_number": 21000000,
                     *         "lag_blocks": 2,
                     *         "balances_checked_at": "2026-11-28T09:00:00.000Z",
                     *         "block_time_ms": 12000,
                     *         "configured_block_time_ms": 12000,
                     *         "proofs": [
                     *           "header_hash",
                     *           "transactions_root",
                     *           "receipts_root"
                     *         ],
                     *         "incident_count": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Blockchain"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateBitcoinEndpoint: {
        parameters: {
            query?: {
                /** @description Ask the node first which chain it serves; 422 where it is another one. */
                verify?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "endpoint_url": "https://node.example.com:8332"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateBitcoinEndpointInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:1",
                     *       "image_url": "https://example.com/ethereum.svg",
                     *       "name": "ethereum",
                     *       "short_name": "ETH",
                     *       "is_active": true,
                     *       "family": "evm",
                     *       "has_endpoint": true,
                     *       "unproved": "hold",
                     *       "untold_reasons": [
                     *         "withdrawal",
                     *         "adjustment"
                     *       ],
                     *       "sync": {
                     *         "status": "following",
                     *         "reason": null,
                     *         "updated_at": "2026-01-01T00:00:00.000Z",
                     *         "head_number": 21000000,
                     *         "node_head_number": 21000002,
                     *         "finalized_number": 20999936,
                     *         "processed_number": 21000000,
                     *         "lag_blocks": 2,
                     *         "balances_checked_at": "2026-11-28T09:00:00.000Z",
                     *         "block_time_ms": 12000,
                     *         "configured_block_time_ms": 12000,
                     *         "proofs": [
                     *           "header_hash",
                     *           "transactions_root",
                     *           "receipts_root"
                     *         ],
                     *         "incident_count": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Blockchain"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateSolanaEndpoint: {
        parameters: {
            query?: {
                /** @description Ask the node first which chain it serves; 422 where it is another one. */
                verify?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "endpoint_url": "https://node.example.com:8899"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateSolanaEndpointInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:1",
                     *       "image_url": "https://example.com/ethereum.svg",
                     *       "name": "ethereum",
                     *       "short_name": "ETH",
                     *       "is_active": true,
                     *       "family": "evm",
                     *       "has_endpoint": true,
                     *       "unproved": "hold",
                     *       "untold_reasons": [
                     *         "withdrawal",
                     *         "adjustment"
                     *       ],
                     *       "sync": {
                     *         "status": "following",
                     *         "reason": null,
                     *         "updated_at": "2026-01-01T00:00:00.000Z",
                     *         "head_number": 21000000,
                     *         "node_head_number": 21000002,
                     *         "finalized_number": 20999936,
                     *         "processed_number": 21000000,
                     *         "lag_blocks": 2,
                     *         "balances_checked_at": "2026-11-28T09:00:00.000Z",
                     *         "block_time_ms": 12000,
                     *         "configured_block_time_ms": 12000,
                     *         "proofs": [
                     *           "header_hash",
                     *           "transactions_root",
                     *           "receipts_root"
                     *         ],
                     *         "incident_count": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Blockchain"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateTronEndpoint: {
        parameters: {
            query?: {
                /** @description Ask the node first which chain it serves; 422 where it is another one. */
                verify?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "endpoint_url": "https://node.example.com",
                 *       "evm_endpoint_url": "https://node.example.com/jsonrpc"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateTronEndpointInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:1",
                     *       "image_url": "https://example.com/ethereum.svg",
                     *       "name": "ethereum",
                     *       "short_name": "ETH",
                     *       "is_active": true,
                     *       "family": "evm",
                     *       "has_endpoint": true,
                     *       "unproved": "hold",
                     *       "untold_reasons": [
                     *         "withdrawal",
                     *         "adjustment"
                     *       ],
                     *       "sync": {
                     *         "status": "following",
                     *         "reason": null,
                     *         "updated_at": "2026-01-01T00:00:00.000Z",
                     *         "head_number": 21000000,
                     *         "node_head_number": 21000002,
                     *         "finalized_number": 20999936,
                     *         "processed_number": 21000000,
                     *         "lag_blocks": 2,
                     *         "balances_checked_at": "2026-11-28T09:00:00.000Z",
                     *         "block_time_ms": 12000,
                     *         "configured_block_time_ms": 12000,
                     *         "proofs": [
                     *           "header_hash",
                     *           "transactions_root",
                     *           "receipts_root"
                     *         ],
                     *         "incident_count": 0
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Blockchain"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBlocks: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "number" | "-number" | "chain_gid" | "-chain_gid" | "status" | "-status";
                /**
                 * @description Only what belongs to these chains (CAIP-2). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /** @description Only those with one of these statuses. Repeated, comma-separated, or both; the name may end in `[]`. */
                statuses?: ("new" | "processed" | "confirmed" | "reorged" | "skipped")[];
                /**
                 * @description Only from that block on, inclusive.
                 * @example 21000000
                 */
                from_block?: number;
                /**
                 * @description Only up to that block, inclusive.
                 * @example 21000100
                 */
                to_block?: number;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "chain_gid": "eip155:1",
                     *           "number": 21000000,
                     *           "hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3",
                     *           "status": "new",
                     *           "parent_hash": "0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6",
                     *           "timestamp": "2026-01-01T00:00:00.000Z",
                     *           "verification": "proved"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["BlockPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBlock: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
                /**
                 * @description Height of the block, on Solana the slot.
                 * @example 21000000
                 */
                block_number: number;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "chain_gid": "eip155:1",
                     *       "number": 21000000,
                     *       "hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3",
                     *       "status": "new",
                     *       "parent_hash": "0x88e96d4537bea4d9c05d12549907b32561d3bf31f45aae734cdc119f13406cb6",
                     *       "timestamp": "2026-01-01T00:00:00.000Z",
                     *       "verification": "proved"
                     *     }
                     */
                    "application/json": components["schemas"]["Block"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAssets: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "gid" | "-gid" | "namespace" | "-namespace" | "reference" | "-reference" | "status" | "-status" | "created_at" | "-created_at";
                /**
                 * @description Only what belongs to these chains (CAIP-2). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /** @description Only assets of these CAIP-19 namespaces. Repeated, comma-separated, or both; the name may end in `[]`. */
                namespaces?: ("erc20" | "bep20" | "token" | "trc20" | "trc10" | "slip44")[];
                /** @description Only those with one of these statuses. Repeated, comma-separated, or both; the name may end in `[]`. */
                statuses?: ("active" | "unknown" | "invalid")[];
                /** @description Only archived ones, or only those that are not. */
                is_archived?: boolean;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "gid": "eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7",
                     *           "status": "active",
                     *           "archived_at": null,
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AssetPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    archiveAsset: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
                /**
                 * @description The asset in its chain: `<namespace>:<reference>` of CAIP-19.
                 * @example erc20:0xdac17f958d2ee523a2206206994597c13d831ec7
                 */
                asset_path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    restoreAsset: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
                /**
                 * @description The asset in its chain: `<namespace>:<reference>` of CAIP-19.
                 * @example erc20:0xdac17f958d2ee523a2206206994597c13d831ec7
                 */
                asset_path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listTokens: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at" | "gid" | "-gid" | "name" | "-name" | "symbol" | "-symbol";
                /**
                 * @description Only what belongs to these chains (CAIP-2). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /** @description Only assets of these CAIP-19 namespaces. Repeated, comma-separated, or both; the name may end in `[]`. */
                namespaces?: ("erc20" | "bep20" | "token" | "trc20" | "trc10" | "slip44")[];
                /** @description Only those of that type. */
                type?: "native" | "fungible" | "nft";
                /**
                 * @description Only those whose name or label holds this text, upper or lower case.
                 * @example shop
                 */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "gid": "eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7",
                     *           "chain_gid": "eip155:1",
                     *           "namespace": "erc20",
                     *           "reference": "0xdac17f958d2ee523a2206206994597c13d831ec7",
                     *           "type": "native",
                     *           "name": "Tether USD",
                     *           "symbol": "USDT",
                     *           "decimals": 6,
                     *           "ui_multiplier": null,
                     *           "image_url": null,
                     *           "status": "active",
                     *           "source": "chain",
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TokenPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getToken: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
                /**
                 * @description The asset in its chain: `<namespace>:<reference>` of CAIP-19.
                 * @example erc20:0xdac17f958d2ee523a2206206994597c13d831ec7
                 */
                asset_path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7",
                     *       "chain_gid": "eip155:1",
                     *       "namespace": "erc20",
                     *       "reference": "0xdac17f958d2ee523a2206206994597c13d831ec7",
                     *       "type": "native",
                     *       "name": "Tether USD",
                     *       "symbol": "USDT",
                     *       "decimals": 6,
                     *       "ui_multiplier": null,
                     *       "image_url": null,
                     *       "status": "active",
                     *       "source": "chain",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
                /**
                 * @description The asset in its chain: `<namespace>:<reference>` of CAIP-19.
                 * @example erc20:0xdac17f958d2ee523a2206206994597c13d831ec7
                 */
                asset_path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7",
                     *       "chain_gid": "eip155:1",
                     *       "namespace": "erc20",
                     *       "reference": "0xdac17f958d2ee523a2206206994597c13d831ec7",
                     *       "type": "native",
                     *       "name": "Tether USD",
                     *       "symbol": "USDT",
                     *       "decimals": 6,
                     *       "ui_multiplier": null,
                     *       "image_url": null,
                     *       "status": "active",
                     *       "source": "chain",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    refreshToken: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
                /**
                 * @description The asset in its chain: `<namespace>:<reference>` of CAIP-19.
                 * @example erc20:0xdac17f958d2ee523a2206206994597c13d831ec7
                 */
                asset_path: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "gid": "eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7",
                     *       "chain_gid": "eip155:1",
                     *       "namespace": "erc20",
                     *       "reference": "0xdac17f958d2ee523a2206206994597c13d831ec7",
                     *       "type": "native",
                     *       "name": "Tether USD",
                     *       "symbol": "USDT",
                     *       "decimals": 6,
                     *       "ui_multiplier": null,
                     *       "image_url": null,
                     *       "status": "active",
                     *       "source": "chain",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Token"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPublicKeys: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at" | "label" | "-label";
                /**
                 * @description Only what belongs to these chains (CAIP-2). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only those whose name or label holds this text, upper or lower case.
                 * @example shop
                 */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "label": "Deposits",
                     *           "extended_public_key": "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs",
                     *           "fingerprint": "7ef32bdb",
                     *           "derivation_path": "m/84'/0'/0'",
                     *           "purpose": 84,
                     *           "chain_gid": "bip122:000000000019d6689c085ae165831e93",
                     *           "address_format": "p2pkh",
                     *           "account_index": 0,
                     *           "next_index": 5,
                     *           "address_count": 5,
                     *           "last_used_index": 2,
                     *           "gap_limit": 20,
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PublicKeyPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPublicKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "extended_public_key": "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs",
                 *       "derivation_path": "m/84'/0'/0'",
                 *       "label": "Deposits"
                 *     }
                 */
                "application/json": components["schemas"]["CreatePublicKeyInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "label": "Deposits",
                     *       "extended_public_key": "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs",
                     *       "fingerprint": "7ef32bdb",
                     *       "derivation_path": "m/84'/0'/0'",
                     *       "purpose": 84,
                     *       "chain_gid": "bip122:000000000019d6689c085ae165831e93",
                     *       "address_format": "p2pkh",
                     *       "account_index": 0,
                     *       "next_index": 5,
                     *       "address_count": 5,
                     *       "last_used_index": 2,
                     *       "gap_limit": 20,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PublicKey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPublicKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The public key, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                public_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "label": "Deposits",
                     *       "extended_public_key": "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs",
                     *       "fingerprint": "7ef32bdb",
                     *       "derivation_path": "m/84'/0'/0'",
                     *       "purpose": 84,
                     *       "chain_gid": "bip122:000000000019d6689c085ae165831e93",
                     *       "address_format": "p2pkh",
                     *       "account_index": 0,
                     *       "next_index": 5,
                     *       "address_count": 5,
                     *       "last_used_index": 2,
                     *       "gap_limit": 20,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PublicKey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deletePublicKey: {
        parameters: {
            query?: {
                /** @description Delete what belongs to it, too; without it a 409 tells that something does. */
                cascade?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The public key, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                public_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updatePublicKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The public key, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                public_key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Deposits"
                 *     }
                 */
                "application/json": components["schemas"]["UpdatePublicKeyInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "label": "Deposits",
                     *       "extended_public_key": "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs",
                     *       "fingerprint": "7ef32bdb",
                     *       "derivation_path": "m/84'/0'/0'",
                     *       "purpose": 84,
                     *       "chain_gid": "bip122:000000000019d6689c085ae165831e93",
                     *       "address_format": "p2pkh",
                     *       "account_index": 0,
                     *       "next_index": 5,
                     *       "address_count": 5,
                     *       "last_used_index": 2,
                     *       "gap_limit": 20,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PublicKey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPublicKeyAddresses: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description Only addresses of these families. Repeated, comma-separated, or both; the name may end in `[]`. */
                chain_families?: ("evm" | "bitcoin" | "solana" | "tron")[];
                /**
                 * @description Only addresses written in one of these formats. Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "evm"
                 *     ]
                 */
                formats?: string[];
                /**
                 * @description Only addresses that are in one of these groups. Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "customers"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only addresses whose metadata has this value under the key, as text, a number, true, false or null: `metadata[customer_id]=1042` or `metadata.customer_id=1042`. Repeat a key to match any of its values. With several keys, all of them must match.
                 * @example {
                 *       "customer_id": "1042"
                 *     }
                 */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Only addresses that are monitored, or only those that are not. */
                is_monitored?: boolean;
                /**
                 * @description Only those whose name or label holds this text, upper or lower case.
                 * @example shop
                 */
                search?: string;
                /** @description Only addresses that a transaction touched, or only others. */
                is_used?: boolean;
                /** @description Only receive (0) or change (1) addresses. */
                change?: "0" | "1";
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at" | "address" | "-address" | "label" | "-label" | "index" | "-index";
            };
            header?: never;
            path: {
                /**
                 * @description The public key, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                public_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *           "chain_family": "evm",
                     *           "format": "evm",
                     *           "label": "Treasury",
                     *           "metadata": {
                     *             "customer_id": "1042"
                     *           },
                     *           "groups": [
                     *             "customers",
                     *             "eu"
                     *           ],
                     *           "is_monitored": true,
                     *           "monitoring": {
                     *             "eip155:1": "active"
                     *           },
                     *           "warnings": [],
                     *           "watched_from": {
                     *             "eip155:1": 21000000
                     *           },
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z",
                     *           "backfill": null,
                     *           "kind": "hd",
                     *           "public_key_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "derivation_path": "m/84'/0'/0'/0/5",
                     *           "index": 5,
                     *           "change": 0,
                     *           "is_used": true,
                     *           "beyond_gap_limit": true
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["HdAddressPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPublicKeyAddresses: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The public key, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                public_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "from": 0,
                 *       "to": 9
                 *     }
                 */
                "application/json": components["schemas"]["CreatePublicKeyAddressesInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *           "chain_family": "evm",
                     *           "format": "evm",
                     *           "label": "Treasury",
                     *           "metadata": {
                     *             "customer_id": "1042"
                     *           },
                     *           "groups": [
                     *             "customers",
                     *             "eu"
                     *           ],
                     *           "is_monitored": true,
                     *           "monitoring": {
                     *             "eip155:1": "active"
                     *           },
                     *           "warnings": [],
                     *           "watched_from": {
                     *             "eip155:1": 21000000
                     *           },
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z",
                     *           "backfill": null,
                     *           "kind": "hd",
                     *           "public_key_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "derivation_path": "m/84'/0'/0'/0/5",
                     *           "index": 5,
                     *           "change": 0,
                     *           "is_used": true,
                     *           "beyond_gap_limit": true
                     *         }
                     *       ],
                     *       "created_count": 1,
                     *       "existing_count": 0
                     *     }
                     */
                    "application/json": components["schemas"]["CreatePublicKeyAddressesResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createNextAddress: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The public key, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                public_key_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "change": 0
                 *     }
                 */
                "application/json": components["schemas"]["CreateNextAddressInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *       "chain_family": "evm",
                     *       "format": "evm",
                     *       "label": "Treasury",
                     *       "metadata": {
                     *         "customer_id": "1042"
                     *       },
                     *       "groups": [
                     *         "customers",
                     *         "eu"
                     *       ],
                     *       "is_monitored": true,
                     *       "monitoring": {
                     *         "eip155:1": "active"
                     *       },
                     *       "warnings": [],
                     *       "watched_from": {
                     *         "eip155:1": 21000000
                     *       },
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "backfill": null,
                     *       "kind": "hd",
                     *       "public_key_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "derivation_path": "m/84'/0'/0'/0/5",
                     *       "index": 5,
                     *       "change": 0,
                     *       "is_used": true,
                     *       "beyond_gap_limit": true
                     *     }
                     */
                    "application/json": components["schemas"]["HdAddress"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAddresses: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description Only addresses of these families. Repeated, comma-separated, or both; the name may end in `[]`. */
                chain_families?: ("evm" | "bitcoin" | "solana" | "tron")[];
                /**
                 * @description Only addresses written in one of these formats. Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "evm"
                 *     ]
                 */
                formats?: string[];
                /**
                 * @description Only addresses that are in one of these groups. Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "customers"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only addresses whose metadata has this value under the key, as text, a number, true, false or null: `metadata[customer_id]=1042` or `metadata.customer_id=1042`. Repeat a key to match any of its values. With several keys, all of them must match.
                 * @example {
                 *       "customer_id": "1042"
                 *     }
                 */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Only addresses that are monitored, or only those that are not. */
                is_monitored?: boolean;
                /**
                 * @description Only those whose name or label holds this text, upper or lower case.
                 * @example shop
                 */
                search?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at" | "address" | "-address" | "label" | "-label" | "index" | "-index";
                /** @description Only those of that kind. */
                kind?: "hd" | "external";
                /**
                 * @description The public key, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                public_key_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *           "chain_family": "evm",
                     *           "format": "evm",
                     *           "label": "Treasury",
                     *           "metadata": {
                     *             "customer_id": "1042"
                     *           },
                     *           "groups": [
                     *             "customers",
                     *             "eu"
                     *           ],
                     *           "is_monitored": true,
                     *           "monitoring": {
                     *             "eip155:1": "active"
                     *           },
                     *           "warnings": [],
                     *           "watched_from": {
                     *             "eip155:1": 21000000
                     *           },
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z",
                     *           "backfill": null,
                     *           "kind": "external",
                     *           "imported_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AddressPage"];
                    /**
                     * @example id,address,chain_family,format,label,metadata,groups,is_monitored,monitoring,warnings,watched_from,created_at,updated_at,backfill,kind,imported_at,public_key_id,derivation_path,index,change,is_used,beyond_gap_limit
                     *     6f1d1f4e-0000-4000-8000-000000000001,0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045,evm,evm,Treasury,"{""customer_id"":""1042""}","[""customers"",""eu""]",true,"{""eip155:1"":""active""}",[],"{""eip155:1"":21000000}",2026-01-01T00:00:00.000Z,2026-01-01T00:00:00.000Z,,external,2026-01-01T00:00:00.000Z,,,,,,
                     */
                    "text/csv": string;
                    /** @example {"id":"6f1d1f4e-0000-4000-8000-000000000001","address":"0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045","chain_family":"evm","format":"evm","label":"Treasury","metadata":{"customer_id":"1042"},"groups":["customers","eu"],"is_monitored":true,"monitoring":{"eip155:1":"active"},"warnings":[],"watched_from":{"eip155:1":21000000},"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","backfill":null,"kind":"external","imported_at":"2026-01-01T00:00:00.000Z"} */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateManyAddresses: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "items": [
                 *         {
                 *           "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *           "groups": [
                 *             "customers",
                 *             "eu"
                 *           ]
                 *         },
                 *         {
                 *           "address": "0x00000000219ab540356cBB839Cbe05303d7705Fa",
                 *           "is_monitored": false
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdateManyAddressesInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "status": "updated",
                     *           "address": {
                     *             "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *             "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *             "chain_family": "evm",
                     *             "format": "evm",
                     *             "label": "Treasury",
                     *             "metadata": {
                     *               "customer_id": "1042"
                     *             },
                     *             "groups": [
                     *               "customers",
                     *               "eu"
                     *             ],
                     *             "is_monitored": true,
                     *             "monitoring": {
                     *               "eip155:1": "active"
                     *             },
                     *             "warnings": [],
                     *             "watched_from": {
                     *               "eip155:1": 21000000
                     *             },
                     *             "created_at": "2026-01-01T00:00:00.000Z",
                     *             "updated_at": "2026-01-01T00:00:00.000Z",
                     *             "backfill": null,
                     *             "kind": "external",
                     *             "imported_at": "2026-01-01T00:00:00.000Z"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["UpdateManyAddressesResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listHdAddresses: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description Only addresses of these families. Repeated, comma-separated, or both; the name may end in `[]`. */
                chain_families?: ("evm" | "bitcoin" | "solana" | "tron")[];
                /**
                 * @description Only addresses written in one of these formats. Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "evm"
                 *     ]
                 */
                formats?: string[];
                /**
                 * @description Only addresses that are in one of these groups. Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "customers"
                 *     ]
                 */
                groups?: string[];
                /**
                 * @description Only addresses whose metadata has this value under the key, as text, a number, true, false or null: `metadata[customer_id]=1042` or `metadata.customer_id=1042`. Repeat a key to match any of its values. With several keys, all of them must match.
                 * @example {
                 *       "customer_id": "1042"
                 *     }
                 */
                metadata?: {
                    [key: string]: string;
                };
                /** @description Only addresses that are monitored, or only those that are not. */
                is_monitored?: boolean;
                /**
                 * @description Only those whose name or label holds this text, upper or lower case.
                 * @example shop
                 */
                search?: string;
                /** @description Only addresses that a transaction touched, or only others. */
                is_used?: boolean;
                /** @description Only receive (0) or change (1) addresses. */
                change?: "0" | "1";
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at" | "address" | "-address" | "label" | "-label" | "index" | "-index";
                /**
                 * @description The public key, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                public_key_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *           "chain_family": "evm",
                     *           "format": "evm",
                     *           "label": "Treasury",
                     *           "metadata": {
                     *             "customer_id": "1042"
                     *           },
                     *           "groups": [
                     *             "customers",
                     *             "eu"
                     *           ],
                     *           "is_monitored": true,
                     *           "monitoring": {
                     *             "eip155:1": "active"
                     *           },
                     *           "warnings": [],
                     *           "watched_from": {
                     *             "eip155:1": 21000000
                     *           },
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z",
                     *           "backfill": null,
                     *           "kind": "hd",
                     *           "public_key_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "derivation_path": "m/84'/0'/0'/0/5",
                     *           "index": 5,
                     *           "change": 0,
                     *           "is_used": true,
                     *           "beyond_gap_limit": true
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["HdAddressPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createExternalAddress: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "value": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *       "chain_family": "evm",
                 *       "label": "Treasury"
                 *     }
                 */
                "application/json": components["schemas"]["CreateExternalAddressInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *       "chain_family": "evm",
                     *       "format": "evm",
                     *       "label": "Treasury",
                     *       "metadata": {
                     *         "customer_id": "1042"
                     *       },
                     *       "groups": [
                     *         "customers",
                     *         "eu"
                     *       ],
                     *       "is_monitored": true,
                     *       "monitoring": {
                     *         "eip155:1": "active"
                     *       },
                     *       "warnings": [],
                     *       "watched_from": {
                     *         "eip155:1": 21000000
                     *       },
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "backfill": null,
                     *       "kind": "external",
                     *       "imported_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ExternalAddress"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    importAddresses: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "chain_family": "evm",
                 *       "addresses": [
                 *         {
                 *           "value": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *           "label": "Treasury",
                 *           "groups": [
                 *             "own"
                 *           ]
                 *         },
                 *         {
                 *           "value": "0x00000000219ab540356cBB839Cbe05303d7705Fa",
                 *           "metadata": {
                 *             "customer_id": "1042"
                 *           }
                 *         }
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["ImportAddressesInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "status": "created",
                     *           "address": {
                     *             "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *             "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *             "chain_family": "evm",
                     *             "format": "evm",
                     *             "label": "Treasury",
                     *             "metadata": {
                     *               "customer_id": "1042"
                     *             },
                     *             "groups": [
                     *               "customers",
                     *               "eu"
                     *             ],
                     *             "is_monitored": true,
                     *             "monitoring": {
                     *               "eip155:1": "active"
                     *             },
                     *             "warnings": [],
                     *             "watched_from": {
                     *               "eip155:1": 21000000
                     *             },
                     *             "created_at": "2026-01-01T00:00:00.000Z",
                     *             "updated_at": "2026-01-01T00:00:00.000Z",
                     *             "backfill": null,
                     *             "kind": "external",
                     *             "imported_at": "2026-01-01T00:00:00.000Z"
                     *           }
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["ImportAddressesResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    queryBalances: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "addresses": [
                 *         "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
                 *       ],
                 *       "asset_gids": [
                 *         "eip155:1/slip44:60"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["QueryBalancesInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *           "balances": {
                     *             "eip155:1/slip44:60": "1.5"
                     *           }
                     *         }
                     *       ],
                     *       "not_found": [
                     *         "0x1"
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["QueryBalancesResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description An address of the project, in any form that its family reads.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *       "chain_family": "evm",
                     *       "format": "evm",
                     *       "label": "Treasury",
                     *       "metadata": {
                     *         "customer_id": "1042"
                     *       },
                     *       "groups": [
                     *         "customers",
                     *         "eu"
                     *       ],
                     *       "is_monitored": true,
                     *       "monitoring": {
                     *         "eip155:1": "active"
                     *       },
                     *       "warnings": [],
                     *       "watched_from": {
                     *         "eip155:1": 21000000
                     *       },
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "backfill": null,
                     *       "kind": "external",
                     *       "imported_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Address"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description An address of the project, in any form that its family reads.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description An address of the project, in any form that its family reads.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "label": "Treasury",
                 *       "is_monitored": true
                 *     }
                 */
                "application/json": components["schemas"]["UpdateAddressInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *       "chain_family": "evm",
                     *       "format": "evm",
                     *       "label": "Treasury",
                     *       "metadata": {
                     *         "customer_id": "1042"
                     *       },
                     *       "groups": [
                     *         "customers",
                     *         "eu"
                     *       ],
                     *       "is_monitored": true,
                     *       "monitoring": {
                     *         "eip155:1": "active"
                     *       },
                     *       "warnings": [],
                     *       "watched_from": {
                     *         "eip155:1": 21000000
                     *       },
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "backfill": null,
                     *       "kind": "external",
                     *       "imported_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Address"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    backfillAddress: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description An address of the project, in any form that its family reads.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "history": {
                 *         "eip155:1": 21000000
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["BackfillAddressInput"];
            };
        };
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *       "chain_family": "evm",
                     *       "format": "evm",
                     *       "label": "Treasury",
                     *       "metadata": {
                     *         "customer_id": "1042"
                     *       },
                     *       "groups": [
                     *         "customers",
                     *         "eu"
                     *       ],
                     *       "is_monitored": true,
                     *       "monitoring": {
                     *         "eip155:1": "active"
                     *       },
                     *       "warnings": [],
                     *       "watched_from": {
                     *         "eip155:1": 21000000
                     *       },
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "backfill": null,
                     *       "kind": "external",
                     *       "imported_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Address"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getHdAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description An address of the project, in any form that its family reads.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *       "chain_family": "evm",
                     *       "format": "evm",
                     *       "label": "Treasury",
                     *       "metadata": {
                     *         "customer_id": "1042"
                     *       },
                     *       "groups": [
                     *         "customers",
                     *         "eu"
                     *       ],
                     *       "is_monitored": true,
                     *       "monitoring": {
                     *         "eip155:1": "active"
                     *       },
                     *       "warnings": [],
                     *       "watched_from": {
                     *         "eip155:1": 21000000
                     *       },
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "backfill": null,
                     *       "kind": "hd",
                     *       "public_key_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "derivation_path": "m/84'/0'/0'/0/5",
                     *       "index": 5,
                     *       "change": 0,
                     *       "is_used": true,
                     *       "beyond_gap_limit": true
                     *     }
                     */
                    "application/json": components["schemas"]["HdAddress"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getExternalAddress: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description An address of the project, in any form that its family reads.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *       "chain_family": "evm",
                     *       "format": "evm",
                     *       "label": "Treasury",
                     *       "metadata": {
                     *         "customer_id": "1042"
                     *       },
                     *       "groups": [
                     *         "customers",
                     *         "eu"
                     *       ],
                     *       "is_monitored": true,
                     *       "monitoring": {
                     *         "eip155:1": "active"
                     *       },
                     *       "warnings": [],
                     *       "watched_from": {
                     *         "eip155:1": 21000000
                     *       },
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "backfill": null,
                     *       "kind": "external",
                     *       "imported_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ExternalAddress"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBalances: {
        parameters: {
            query?: {
                /**
                 * @description Balances after this block, of one chain. Absent: the last known. Put together from what the chain said before the block and what moved since. 422 where more moved than transfers and fees tell, such as interest: the readings themselves are in `balances/history`.
                 * @example 21000000
                 */
                at_block?: number;
                /**
                 * @description The chain of `at_block`; may be left out where one chain of the family is active.
                 * @example eip155:1
                 */
                chain_gid?: string;
            };
            header?: never;
            path: {
                /**
                 * @description An address of the project, in any form that its family reads.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "eip155:1/slip44:60": "1.5"
                     *     }
                     */
                    "application/json": components["schemas"]["GetBalancesResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getBalanceDetails: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description An address of the project, in any form that its family reads.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "asset_gid": "eip155:1/slip44:60",
                     *           "total": "1.5",
                     *           "total_raw": "1500000000000000000",
                     *           "decimals": 18,
                     *           "ui_multiplier": null,
                     *           "ui_amount": null,
                     *           "confirmed": "1.5",
                     *           "unconfirmed": "0",
                     *           "spendable": "1.5",
                     *           "spendable_raw": "1500000000000000000",
                     *           "immature": "0",
                     *           "immature_raw": "0",
                     *           "pending_in": "0",
                     *           "pending_out": "0",
                     *           "checked_at": "2026-11-28T09:00:00.000Z"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["BalanceDetailsList"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listBalanceHistory: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "block_number" | "-block_number";
                /**
                 * @description Only what belongs to these chains (CAIP-2). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only these assets (CAIP-19). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only from that block on, inclusive.
                 * @example 21000000
                 */
                from_block?: number;
                /**
                 * @description Only up to that block, inclusive.
                 * @example 21000100
                 */
                to_block?: number;
            };
            header?: never;
            path: {
                /**
                 * @description An address of the project, in any form that its family reads.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "chain_gid": "eip155:1",
                     *           "asset_gid": "eip155:1/slip44:60",
                     *           "block_number": 21000000,
                     *           "block_hash": "0xabababababababababababababababababababababababababababababababab",
                     *           "balance": "1.5",
                     *           "balance_raw": "1500000000000000000",
                     *           "adjustment_raw": null
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["BalanceReadingPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAdjustments: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "block_number" | "-block_number" | "created_at" | "-created_at";
                /**
                 * @description Only what belongs to these chains (CAIP-2). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only these assets (CAIP-19). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1/slip44:60"
                 *     ]
                 */
                asset_gids?: string[];
                /**
                 * @description Only those found at this block or later.
                 * @example 20000000
                 */
                from_block?: number;
                /**
                 * @description Only those found at this block or before.
                 * @example 21000000
                 */
                to_block?: number;
            };
            header?: never;
            path: {
                /**
                 * @description An address of the project, in any form that its family reads.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "chain_gid": "eip155:1",
                     *           "asset_gid": "eip155:1/slip44:60",
                     *           "amount": "0.5",
                     *           "amount_raw": "500000000000000000",
                     *           "since_block": 20999000,
                     *           "until_block": 21000000,
                     *           "block_hash": "0xabababababababababababababababababababababababababababababababab",
                     *           "is_confirmed": true,
                     *           "created_at": "2026-11-28T09:00:00.000Z"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AdjustmentPage"];
                    /**
                     * @example id,chain_gid,asset_gid,amount,amount_raw,since_block,until_block,block_hash,is_confirmed,created_at
                     *     6f1d1f4e-0000-4000-8000-000000000001,eip155:1,eip155:1/slip44:60,0.5,500000000000000000,20999000,21000000,0xabababababababababababababababababababababababababababababababab,true,2026-11-28T09:00:00.000Z
                     */
                    "text/csv": string;
                    /** @example {"id":"6f1d1f4e-0000-4000-8000-000000000001","chain_gid":"eip155:1","asset_gid":"eip155:1/slip44:60","amount":"0.5","amount_raw":"500000000000000000","since_block":20999000,"until_block":21000000,"block_hash":"0xabababababababababababababababababababababababababababababababab","is_confirmed":true,"created_at":"2026-11-28T09:00:00.000Z"} */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listUtxos: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "block_number" | "-block_number" | "amount" | "-amount";
                /**
                 * @description Only what belongs to these chains (CAIP-2). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
            };
            header?: never;
            path: {
                /**
                 * @description An address of the project, in any form that its family reads.
                 * @example 0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045
                 */
                address: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "txid": "4a5e1e4baab89f3a32518a88c31bc87f618f76673e2cc77ab2127b7afdeda33b",
                     *           "vout": 0,
                     *           "amount": "0.5",
                     *           "amount_raw": "50000000",
                     *           "asset_gid": "bip122:000000000019d6689c085ae165831e93/slip44:0",
                     *           "chain_gid": "bip122:000000000019d6689c085ae165831e93",
                     *           "block_number": 870000,
                     *           "is_coinbase": true,
                     *           "confirmations": 6,
                     *           "is_mature": true
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UtxoPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listTransactions: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "detected_at" | "-detected_at" | "block_number" | "-block_number";
                /**
                 * @description Only what belongs to these chains (CAIP-2). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only transactions that touch one of these addresses of the project. Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
                 *     ]
                 */
                addresses?: string[];
                /**
                 * @description Only transactions that move one of these assets (CAIP-19). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1/erc20:0xdac17f958d2ee523a2206206994597c13d831ec7"
                 *     ]
                 */
                asset_gids?: string[];
                /** @description Only those with one of these statuses. Repeated, comma-separated, or both; the name may end in `[]`. */
                statuses?: ("pending" | "detected" | "confirmed" | "reorged" | "failed")[];
                /** @description Only transactions of that direction, as the monitored addresses see it. */
                direction?: "in" | "out" | "self";
                /**
                 * @description Only the transaction with that hash, as the chain writes it.
                 * @example 0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060
                 */
                hash?: string;
                /**
                 * @description Only from that block on, inclusive.
                 * @example 21000000
                 */
                from_block?: number;
                /**
                 * @description Only up to that block, inclusive.
                 * @example 21000100
                 */
                to_block?: number;
                /**
                 * @description Only from that time on, inclusive, by the time that the record shows.
                 * @example 2026-01-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Only before that time, exclusive, by the time that the record shows.
                 * @example 2026-01-02T00:00:00Z
                 */
                until?: string;
                /**
                 * @description Only transactions with a transfer of at least that much, in whole units of its asset; also those with one whose decimals are not known.
                 * @example 0.01
                 */
                min_amount?: string;
                /**
                 * @description Only transactions with this memo: the whole of it, one of its lines, or that of a transfer. Letters count as they are.
                 * @example order 1042
                 */
                memo?: string;
                /**
                 * @description The same for a memo that begins with it.
                 * @example order
                 */
                memo_prefix?: string;
                /**
                 * @description The public key, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                public_key_id?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "chain_gid": "eip155:1",
                     *           "hash": "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
                     *           "status": "pending",
                     *           "direction": "in",
                     *           "block_number": 21000000,
                     *           "block_hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3",
                     *           "block_timestamp": "2026-01-01T00:00:00.000Z",
                     *           "tx_index": 7,
                     *           "confirmations": 1,
                     *           "required_confirmations": 12,
                     *           "fee": {
                     *             "asset_gid": "eip155:1/slip44:60",
                     *             "amount": "0.00042",
                     *             "amount_raw": "420000000000000"
                     *           },
                     *           "memo": "order 1042",
                     *           "matures_at_block": null,
                     *           "transfers": [
                     *             {
                     *               "index": 0,
                     *               "type": "native",
                     *               "asset_gid": "eip155:1/slip44:60",
                     *               "from": "0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
                     *               "to": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *               "amount": "1.5",
                     *               "amount_raw": "1500000000000000000",
                     *               "decimals": 18,
                     *               "log_index": null,
                     *               "memo": null,
                     *               "monitored_addresses": [
                     *                 "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
                     *               ]
                     *             }
                     *           ],
                     *           "replaced_by": null,
                     *           "verification": "proved",
                     *           "detected_at": "2026-01-01T00:00:01.000Z",
                     *           "confirmed_at": null,
                     *           "reorged_at": null
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TransactionPage"];
                    /**
                     * @example id,chain_gid,hash,status,direction,block_number,block_hash,block_timestamp,tx_index,confirmations,required_confirmations,fee,memo,matures_at_block,transfers,replaced_by,verification,detected_at,confirmed_at,reorged_at
                     *     6f1d1f4e-0000-4000-8000-000000000001,eip155:1,0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060,pending,in,21000000,0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3,2026-01-01T00:00:00.000Z,7,1,12,"{""asset_gid"":""eip155:1/slip44:60"",""amount"":""0.00042"",""amount_raw"":""420000000000000""}",order 1042,,"[{""index"":0,""type"":""native"",""asset_gid"":""eip155:1/slip44:60"",""from"":""0x742d35Cc6634C0532925a3b844Bc454e4438f44e"",""to"":""0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"",""amount"":""1.5"",""amount_raw"":""1500000000000000000"",""decimals"":18,""log_index"":null,""memo"":null,""monitored_addresses"":[""0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045""]}]",,proved,2026-01-01T00:00:01.000Z,,
                     */
                    "text/csv": string;
                    /** @example {"id":"6f1d1f4e-0000-4000-8000-000000000001","chain_gid":"eip155:1","hash":"0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060","status":"pending","direction":"in","block_number":21000000,"block_hash":"0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3","block_timestamp":"2026-01-01T00:00:00.000Z","tx_index":7,"confirmations":1,"required_confirmations":12,"fee":{"asset_gid":"eip155:1/slip44:60","amount":"0.00042","amount_raw":"420000000000000"},"memo":"order 1042","matures_at_block":null,"transfers":[{"index":0,"type":"native","asset_gid":"eip155:1/slip44:60","from":"0x742d35Cc6634C0532925a3b844Bc454e4438f44e","to":"0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045","amount":"1.5","amount_raw":"1500000000000000000","decimals":18,"log_index":null,"memo":null,"monitored_addresses":["0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"]}],"replaced_by":null,"verification":"proved","detected_at":"2026-01-01T00:00:01.000Z","confirmed_at":null,"reorged_at":null} */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTransaction: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The transaction, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                transaction_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "chain_gid": "eip155:1",
                     *       "hash": "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
                     *       "status": "pending",
                     *       "direction": "in",
                     *       "block_number": 21000000,
                     *       "block_hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3",
                     *       "block_timestamp": "2026-01-01T00:00:00.000Z",
                     *       "tx_index": 7,
                     *       "confirmations": 1,
                     *       "required_confirmations": 12,
                     *       "fee": {
                     *         "asset_gid": "eip155:1/slip44:60",
                     *         "amount": "0.00042",
                     *         "amount_raw": "420000000000000"
                     *       },
                     *       "memo": "order 1042",
                     *       "matures_at_block": null,
                     *       "transfers": [
                     *         {
                     *           "index": 0,
                     *           "type": "native",
                     *           "asset_gid": "eip155:1/slip44:60",
                     *           "from": "0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
                     *           "to": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *           "amount": "1.5",
                     *           "amount_raw": "1500000000000000000",
                     *           "decimals": 18,
                     *           "log_index": null,
                     *           "memo": null,
                     *           "monitored_addresses": [
                     *             "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
                     *           ]
                     *         }
                     *       ],
                     *       "replaced_by": null,
                     *       "verification": "proved",
                     *       "detected_at": "2026-01-01T00:00:01.000Z",
                     *       "confirmed_at": null,
                     *       "reorged_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTransactionByHash: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
                /**
                 * @description The hash of the transaction, as the chain writes it.
                 * @example 0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060
                 */
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "chain_gid": "eip155:1",
                     *       "hash": "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
                     *       "status": "pending",
                     *       "direction": "in",
                     *       "block_number": 21000000,
                     *       "block_hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3",
                     *       "block_timestamp": "2026-01-01T00:00:00.000Z",
                     *       "tx_index": 7,
                     *       "confirmations": 1,
                     *       "required_confirmations": 12,
                     *       "fee": {
                     *         "asset_gid": "eip155:1/slip44:60",
                     *         "amount": "0.00042",
                     *         "amount_raw": "420000000000000"
                     *       },
                     *       "memo": "order 1042",
                     *       "matures_at_block": null,
                     *       "transfers": [
                     *         {
                     *           "index": 0,
                     *           "type": "native",
                     *           "asset_gid": "eip155:1/slip44:60",
                     *           "from": "0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
                     *           "to": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *           "amount": "1.5",
                     *           "amount_raw": "1500000000000000000",
                     *           "decimals": 18,
                     *           "log_index": null,
                     *           "memo": null,
                     *           "monitored_addresses": [
                     *             "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
                     *           ]
                     *         }
                     *       ],
                     *       "replaced_by": null,
                     *       "verification": "proved",
                     *       "detected_at": "2026-01-01T00:00:01.000Z",
                     *       "confirmed_at": null,
                     *       "reorged_at": null
                     *     }
                     */
                    "application/json": components["schemas"]["Transaction"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getTransactionProof: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
                /**
                 * @description The hash of the transaction, as the chain writes it.
                 * @example 0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060
                 */
                hash: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "type": "mpt",
                     *       "chain_gid": "eip155:1",
                     *       "hash": "0x5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c5c",
                     *       "block_hash": "0x1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f1f",
                     *       "block_number": 21000000,
                     *       "header": "0xf90260a0…",
                     *       "signature": "6ac1…01",
                     *       "branch": {
                     *         "transaction": [
                     *           "abababababababababababababababababababababababababababababababab"
                     *         ],
                     *         "receipt": [
                     *           "abababababababababababababababababababababababababababababababab"
                     *         ],
                     *         "coinbase": [
                     *           "abababababababababababababababababababababababababababababababab"
                     *         ]
                     *       },
                     *       "item": {
                     *         "index": 12,
                     *         "transaction": "0x02f873…",
                     *         "receipt": "0x02f90108…",
                     *         "coinbase": "0100000001…"
                     *       },
                     *       "reason": null,
                     *       "signatures": [
                     *         "5gri…"
                     *       ],
                     *       "finality": {
                     *         "status": "pending",
                     *         "confirmations": 1,
                     *         "required_confirmations": 12
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Proof"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listConfirmationPolicies: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "chain_gid" | "-chain_gid" | "created_at" | "-created_at";
                /**
                 * @description Only what belongs to these chains (CAIP-2). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "chain_gid": "eip155:1",
                     *           "type": "depth",
                     *           "depth": 20,
                     *           "required_confirmations": 20,
                     *           "is_unsafe": false,
                     *           "chain_default": {
                     *             "type": "depth",
                     *             "depth": 12
                     *           },
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ConfirmationPolicyPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getConfirmationPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "chain_gid": "eip155:1",
                     *       "type": "depth",
                     *       "depth": 20,
                     *       "required_confirmations": 20,
                     *       "is_unsafe": false,
                     *       "chain_default": {
                     *         "type": "depth",
                     *         "depth": 12
                     *       },
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ConfirmationPolicy"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    setConfirmationPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "depth",
                 *       "depth": 20
                 *     }
                 */
                "application/json": components["schemas"]["SetConfirmationPolicyInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "chain_gid": "eip155:1",
                     *       "type": "depth",
                     *       "depth": 20,
                     *       "required_confirmations": 20,
                     *       "is_unsafe": false,
                     *       "chain_default": {
                     *         "type": "depth",
                     *         "depth": 12
                     *       },
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["ConfirmationPolicy"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteConfirmationPolicy: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The chain as CAIP-2.
                 * @example eip155:1
                 */
                chain_gid: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listEvents: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at";
                /**
                 * @description Only events behind this position, in the order of positions: `meta.last_position` is the `after` of the next request. Not together with `page`, `cursor` or `sort_by`.
                 * @example 18231
                 */
                after?: number;
                /** @description Only those of these types. Repeated, comma-separated, or both; the name may end in `[]`. */
                types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
                /**
                 * @description Only what belongs to these chains (CAIP-2). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only events of the transaction with that `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                transaction_id?: string;
                /** @description Only test messages, or only real events. */
                is_test?: boolean;
                /**
                 * @description Only from that time on, inclusive, by the time that the record shows.
                 * @example 2026-01-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Only before that time, exclusive, by the time that the record shows.
                 * @example 2026-01-02T00:00:00Z
                 */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                     *           "type": "transaction.detected",
                     *           "api_version": "v1",
                     *           "created_at": "2026-01-01T00:00:01.000Z",
                     *           "is_test_message": false,
                     *           "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "sequence": 18231,
                     *           "is_historical": true,
                     *           "data": {
                     *             "transaction": {
                     *               "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *               "chain_gid": "eip155:1",
                     *               "hash": "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
                     *               "status": "pending",
                     *               "direction": "in",
                     *               "block_number": 21000000,
                     *               "block_hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3",
                     *               "block_timestamp": "2026-01-01T00:00:00.000Z",
                     *               "tx_index": 7,
                     *               "confirmations": 1,
                     *               "required_confirmations": 12,
                     *               "fee": {
                     *                 "asset_gid": "eip155:1/slip44:60",
                     *                 "amount": "0.00042",
                     *                 "amount_raw": "420000000000000"
                     *               },
                     *               "memo": "order 1042",
                     *               "matures_at_block": null,
                     *               "transfers": [
                     *                 {
                     *                   "index": 0,
                     *                   "type": "native",
                     *                   "asset_gid": "eip155:1/slip44:60",
                     *                   "from": "0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
                     *                   "to": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *                   "amount": "1.5",
                     *                   "amount_raw": "1500000000000000000",
                     *                   "decimals": 18,
                     *                   "log_index": null,
                     *                   "memo": null,
                     *                   "monitored_addresses": [
                     *                     "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
                     *                   ]
                     *                 }
                     *               ],
                     *               "replaced_by": null,
                     *               "verification": "proved",
                     *               "detected_at": "2026-01-01T00:00:01.000Z",
                     *               "confirmed_at": null,
                     *               "reorged_at": null
                     *             },
                     *             "balance_changes": [
                     *               {
                     *                 "address_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *                 "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *                 "asset_gid": "eip155:1/slip44:60",
                     *                 "delta": "1.5",
                     *                 "delta_raw": "1500000000000000000"
                     *               }
                     *             ],
                     *             "addresses": [],
                     *             "truncated": false,
                     *             "addresses_truncated": true
                     *           },
                     *           "position": 18231
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA",
                     *         "last_position": 18240,
                     *         "has_more": false
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EventItemPage"];
                    /**
                     * @example event_id,type,api_version,created_at,is_test_message,project_id,sequence,is_historical,data,position
                     *     6f1d1f4e-0000-5000-8000-000000000001,transaction.detected,v1,2026-01-01T00:00:01.000Z,false,6f1d1f4e-0000-4000-8000-000000000001,18231,true,"{""transaction"":{""id"":""6f1d1f4e-0000-4000-8000-000000000001"",""chain_gid"":""eip155:1"",""hash"":""0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"",""status"":""pending"",""direction"":""in"",""block_number"":21000000,""block_hash"":""0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3"",""block_timestamp"":""2026-01-01T00:00:00.000Z"",""tx_index"":7,""confirmations"":1,""required_confirmations"":12,""fee"":{""asset_gid"":""eip155:1/slip44:60"",""amount"":""0.00042"",""amount_raw"":""420000000000000""},""memo"":""order 1042"",""matures_at_block"":null,""transfers"":[{""index"":0,""type"":""native"",""asset_gid"":""eip155:1/slip44:60"",""from"":""0x742d35Cc6634C0532925a3b844Bc454e4438f44e"",""to"":""0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"",""amount"":""1.5"",""amount_raw"":""1500000000000000000"",""decimals"":18,""log_index"":null,""memo"":null,""monitored_addresses"":[""0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045""]}],""replaced_by"":null,""verification"":""proved"",""detected_at"":""2026-01-01T00:00:01.000Z"",""confirmed_at"":null,""reorged_at"":null},""balance_changes"":[{""address_id"":""6f1d1f4e-0000-4000-8000-000000000001"",""address"":""0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"",""asset_gid"":""eip155:1/slip44:60"",""delta"":""1.5"",""delta_raw"":""1500000000000000000""}],""addresses"":[],""truncated"":false,""addresses_truncated"":true}",18231
                     */
                    "text/csv": string;
                    /** @example {"event_id":"6f1d1f4e-0000-5000-8000-000000000001","type":"transaction.detected","api_version":"v1","created_at":"2026-01-01T00:00:01.000Z","is_test_message":false,"project_id":"6f1d1f4e-0000-4000-8000-000000000001","sequence":18231,"is_historical":true,"data":{"transaction":{"id":"6f1d1f4e-0000-4000-8000-000000000001","chain_gid":"eip155:1","hash":"0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060","status":"pending","direction":"in","block_number":21000000,"block_hash":"0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3","block_timestamp":"2026-01-01T00:00:00.000Z","tx_index":7,"confirmations":1,"required_confirmations":12,"fee":{"asset_gid":"eip155:1/slip44:60","amount":"0.00042","amount_raw":"420000000000000"},"memo":"order 1042","matures_at_block":null,"transfers":[{"index":0,"type":"native","asset_gid":"eip155:1/slip44:60","from":"0x742d35Cc6634C0532925a3b844Bc454e4438f44e","to":"0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045","amount":"1.5","amount_raw":"1500000000000000000","decimals":18,"log_index":null,"memo":null,"monitored_addresses":["0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"]}],"replaced_by":null,"verification":"proved","detected_at":"2026-01-01T00:00:01.000Z","confirmed_at":null,"reorged_at":null},"balance_changes":[{"address_id":"6f1d1f4e-0000-4000-8000-000000000001","address":"0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045","asset_gid":"eip155:1/slip44:60","delta":"1.5","delta_raw":"1500000000000000000"}],"addresses":[],"truncated":false,"addresses_truncated":true},"position":18231} */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            410: components["responses"]["Gone"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    streamEvents: {
        parameters: {
            query?: {
                /**
                 * @description Begin behind this position; without it and without `Last-Event-ID` the stream begins now.
                 * @example 18231
                 */
                after?: number;
                /** @description Only those of these types. Repeated, comma-separated, or both; the name may end in `[]`. */
                types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
                /**
                 * @description Only what belongs to these chains (CAIP-2). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only events of the transaction with that `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                transaction_id?: string;
                /** @description Only test messages, or only real events. */
                is_test?: boolean;
                /**
                 * @description Only from that time on, inclusive, by the time that the record shows.
                 * @example 2026-01-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Only before that time, exclusive, by the time that the record shows.
                 * @example 2026-01-02T00:00:00Z
                 */
                until?: string;
            };
            header?: {
                /**
                 * @description The position that the client saw last, as browsers send it by themselves. It beats `after`.
                 * @example 18231
                 */
                "Last-Event-Id"?: number;
            };
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example id: 18231
                     *     event: transaction.detected
                     *     data: {"event_id":"6f1d1f4e-0000-5000-8000-000000000001"}
                     */
                    "text/event-stream": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            410: components["responses"]["Gone"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getEvent: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The event, by its `event_id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                     *       "type": "transaction.detected",
                     *       "api_version": "v1",
                     *       "created_at": "2026-01-01T00:00:01.000Z",
                     *       "is_test_message": false,
                     *       "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "sequence": 18231,
                     *       "is_historical": true,
                     *       "data": {
                     *         "transaction": {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "chain_gid": "eip155:1",
                     *           "hash": "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
                     *           "status": "pending",
                     *           "direction": "in",
                     *           "block_number": 21000000,
                     *           "block_hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3",
                     *           "block_timestamp": "2026-01-01T00:00:00.000Z",
                     *           "tx_index": 7,
                     *           "confirmations": 1,
                     *           "required_confirmations": 12,
                     *           "fee": {
                     *             "asset_gid": "eip155:1/slip44:60",
                     *             "amount": "0.00042",
                     *             "amount_raw": "420000000000000"
                     *           },
                     *           "memo": "order 1042",
                     *           "matures_at_block": null,
                     *           "transfers": [
                     *             {
                     *               "index": 0,
                     *               "type": "native",
                     *               "asset_gid": "eip155:1/slip44:60",
                     *               "from": "0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
                     *               "to": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *               "amount": "1.5",
                     *               "amount_raw": "1500000000000000000",
                     *               "decimals": 18,
                     *               "log_index": null,
                     *               "memo": null,
                     *               "monitored_addresses": [
                     *                 "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
                     *               ]
                     *             }
                     *           ],
                     *           "replaced_by": null,
                     *           "verification": "proved",
                     *           "detected_at": "2026-01-01T00:00:01.000Z",
                     *           "confirmed_at": null,
                     *           "reorged_at": null
                     *         },
                     *         "balance_changes": [
                     *           {
                     *             "address_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *             "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                     *             "asset_gid": "eip155:1/slip44:60",
                     *             "delta": "1.5",
                     *             "delta_raw": "1500000000000000000"
                     *           }
                     *         ],
                     *         "addresses": [],
                     *         "truncated": false,
                     *         "addresses_truncated": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Event"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listEventDeliveries: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at";
            };
            header?: never;
            path: {
                /**
                 * @description The event, by its `event_id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                event_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "channel_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                     *           "event_type": "transaction.detected",
                     *           "status": "pending",
                     *           "attempt_count": 1,
                     *           "is_test_message": true,
                     *           "next_attempt_at": null,
                     *           "last_error": null,
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z",
                     *           "delivered_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listChannels: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "name" | "-name" | "kind" | "-kind" | "created_at" | "-created_at" | "updated_at" | "-updated_at";
                /** @description Only those of that kind. */
                kind?: "discord" | "email" | "nats" | "slack" | "telegram" | "webhook";
                /** @description Only archived ones, or only those that are not. */
                is_archived?: boolean;
                /**
                 * @description Only those whose name or label holds this text, upper or lower case.
                 * @example shop
                 */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "name": "Payments",
                     *           "is_archived": true,
                     *           "status": "active",
                     *           "failed_at": null,
                     *           "failure_reason": null,
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z",
                     *           "kind": "webhook",
                     *           "config": {
                     *             "url": "https://hooks.example.com/chainwatch",
                     *             "headers": {
                     *               "X-Team": "payments"
                     *             },
                     *             "auth": {
                     *               "type": "none"
                     *             },
                     *             "standard_webhooks": false,
                     *             "throttle_per_second": null,
                     *             "event_types": [
                     *               "transaction.detected",
                     *               "transaction.confirmed"
                     *             ],
                     *             "filters": {
                     *               "chain_gids": [
                     *                 "eip155:1"
                     *               ],
                     *               "asset_gids": [
                     *                 "eip155:1/slip44:60"
                     *               ],
                     *               "address_ids": [
                     *                 "6f1d1f4e-0000-4000-8000-000000000001"
                     *               ],
                     *               "groups": [
                     *                 "shop-7"
                     *               ],
                     *               "metadata": {
                     *                 "shop": "7"
                     *               },
                     *               "direction": "in",
                     *               "min_amount": "0.01",
                     *               "memo": "order 1042",
                     *               "memo_prefix": "order ",
                     *               "verification": [
                     *                 "proved",
                     *                 "agreed",
                     *                 "attested"
                     *               ],
                     *               "reasons": [
                     *                 "withdrawal",
                     *                 "reward",
                     *                 "mint",
                     *                 "atomic",
                     *                 "staking_reward",
                     *                 "adjustment"
                     *               ]
                     *             },
                     *             "include_historical": true
                     *           }
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationChannelPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createWebhookChannel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Payments",
                 *       "url": "https://hooks.example.com/chainwatch",
                 *       "event_types": [
                 *         "transaction.confirmed"
                 *       ],
                 *       "filters": {
                 *         "direction": "in"
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["CreateWebhookChannelInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "webhook",
                     *       "config": {
                     *         "url": "https://hooks.example.com/chainwatch",
                     *         "headers": {
                     *           "X-Team": "payments"
                     *         },
                     *         "auth": {
                     *           "type": "none"
                     *         },
                     *         "standard_webhooks": false,
                     *         "throttle_per_second": null,
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       },
                     *       "webhook_secret": "svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedNotificationChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWebhookChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "throttle_per_second": 10
                 *     }
                 */
                "application/json": components["schemas"]["UpdateWebhookChannelInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "webhook",
                     *       "config": {
                     *         "url": "https://hooks.example.com/chainwatch",
                     *         "headers": {
                     *           "X-Team": "payments"
                     *         },
                     *         "auth": {
                     *           "type": "none"
                     *         },
                     *         "standard_webhooks": false,
                     *         "throttle_per_second": null,
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createDiscordChannel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Payments",
                 *       "url": "https://discord.com/api/webhooks/223704706495545344/XXXXXXXXXXXXXXXXXXXXXXXX"
                 *     }
                 */
                "application/json": components["schemas"]["CreateDiscordChannelInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "discord",
                     *       "config": {
                     *         "url": "https://hooks.example.com/services/T00000000/B00000000/***",
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DiscordChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateDiscordChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_types": [
                 *         "transaction.confirmed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdateDiscordChannelInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "discord",
                     *       "config": {
                     *         "url": "https://hooks.example.com/services/T00000000/B00000000/***",
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DiscordChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createEmailChannel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Payments",
                 *       "recipients": [
                 *         "ops@example.com"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateEmailChannelInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "email",
                     *       "config": {
                     *         "recipients": [
                     *           {
                     *             "address": "ops@example.com",
                     *             "status": "pending",
                     *             "requested_at": "2026-01-01T00:00:00.000Z",
                     *             "answered_at": null
                     *           }
                     *         ],
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EmailChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateEmailChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_types": [
                 *         "transaction.confirmed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdateEmailChannelInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "email",
                     *       "config": {
                     *         "recipients": [
                     *           {
                     *             "address": "ops@example.com",
                     *             "status": "pending",
                     *             "requested_at": "2026-01-01T00:00:00.000Z",
                     *             "answered_at": null
                     *           }
                     *         ],
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["EmailChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            502: components["responses"]["BadGateway"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createNatsChannel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Payments",
                 *       "url": "nats://user:password@nats.example.com:4222",
                 *       "subject": "payments.chainwatch"
                 *     }
                 */
                "application/json": components["schemas"]["CreateNatsChannelInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "nats",
                     *       "config": {
                     *         "url": "nats://nats.example.com:4222",
                     *         "subject": "payments.chainwatch",
                     *         "auth": {
                     *           "type": "none"
                     *         },
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NatsChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateNatsChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "subject": "payments.chainwatch"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateNatsChannelInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "nats",
                     *       "config": {
                     *         "url": "nats://nats.example.com:4222",
                     *         "subject": "payments.chainwatch",
                     *         "auth": {
                     *           "type": "none"
                     *         },
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NatsChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createSlackChannel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Payments",
                 *       "url": "https://hooks.slack.com/services/T00000000/B00000000/XXXXXXXXXXXXXXXXXXXXXXXX"
                 *     }
                 */
                "application/json": components["schemas"]["CreateSlackChannelInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "slack",
                     *       "config": {
                     *         "url": "https://hooks.example.com/services/T00000000/B00000000/***",
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SlackChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateSlackChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_types": [
                 *         "transaction.confirmed"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["UpdateSlackChannelInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "slack",
                     *       "config": {
                     *         "url": "https://hooks.example.com/services/T00000000/B00000000/***",
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["SlackChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createTelegramChannel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Payments",
                 *       "bot_token": "110201543:AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsawx",
                 *       "chat_id": 42000000
                 *     }
                 */
                "application/json": components["schemas"]["CreateTelegramChannelInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "telegram",
                     *       "config": {
                     *         "bot_token": "110201543:***",
                     *         "chat_id": 42000000,
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TelegramChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateTelegramChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "chat_id": -1001234567890
                 *     }
                 */
                "application/json": components["schemas"]["UpdateTelegramChannelInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "telegram",
                     *       "config": {
                     *         "bot_token": "110201543:***",
                     *         "chat_id": 42000000,
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["TelegramChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "webhook",
                     *       "config": {
                     *         "url": "https://hooks.example.com/chainwatch",
                     *         "headers": {
                     *           "X-Team": "payments"
                     *         },
                     *         "auth": {
                     *           "type": "none"
                     *         },
                     *         "standard_webhooks": false,
                     *         "throttle_per_second": null,
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteChannel: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    archiveChannel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "webhook",
                     *       "config": {
                     *         "url": "https://hooks.example.com/chainwatch",
                     *         "headers": {
                     *           "X-Team": "payments"
                     *         },
                     *         "auth": {
                     *           "type": "none"
                     *         },
                     *         "standard_webhooks": false,
                     *         "throttle_per_second": null,
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    restoreChannel: {
        parameters: {
            query?: {
                /** @description What becomes of the events that waited: delivered, or discarded. */
                held?: "deliver" | "discard";
            };
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Payments",
                     *       "is_archived": true,
                     *       "status": "active",
                     *       "failed_at": null,
                     *       "failure_reason": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "kind": "webhook",
                     *       "config": {
                     *         "url": "https://hooks.example.com/chainwatch",
                     *         "headers": {
                     *           "X-Team": "payments"
                     *         },
                     *         "auth": {
                     *           "type": "none"
                     *         },
                     *         "standard_webhooks": false,
                     *         "throttle_per_second": null,
                     *         "event_types": [
                     *           "transaction.detected",
                     *           "transaction.confirmed"
                     *         ],
                     *         "filters": {
                     *           "chain_gids": [
                     *             "eip155:1"
                     *           ],
                     *           "asset_gids": [
                     *             "eip155:1/slip44:60"
                     *           ],
                     *           "address_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "groups": [
                     *             "shop-7"
                     *           ],
                     *           "metadata": {
                     *             "shop": "7"
                     *           },
                     *           "direction": "in",
                     *           "min_amount": "0.01",
                     *           "memo": "order 1042",
                     *           "memo_prefix": "order ",
                     *           "verification": [
                     *             "proved",
                     *             "agreed",
                     *             "attested"
                     *           ],
                     *           "reasons": [
                     *             "withdrawal",
                     *             "reward",
                     *             "mint",
                     *             "atomic",
                     *             "staking_reward",
                     *             "adjustment"
                     *           ]
                     *         },
                     *         "include_historical": true
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["NotificationChannel"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listDeliveries: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at";
                /** @description Only those with one of these statuses. Repeated, comma-separated, or both; the name may end in `[]`. */
                statuses?: ("pending" | "held" | "delivered" | "failed" | "discarded")[];
                /**
                 * @description The event, by its `event_id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                event_id?: string;
                /** @description Only deliveries of events of these types. Repeated, comma-separated, or both; the name may end in `[]`. */
                event_types?: ("transaction.detected" | "transaction.progress" | "transaction.confirmed" | "transaction.reorged" | "transaction.failed" | "balance.changed" | "channel.failed")[];
                /**
                 * @description Only from that time on, inclusive, by the time that the record shows.
                 * @example 2026-01-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Only before that time, exclusive, by the time that the record shows.
                 * @example 2026-01-02T00:00:00Z
                 */
                until?: string;
            };
            header?: never;
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "channel_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                     *           "event_type": "transaction.detected",
                     *           "status": "pending",
                     *           "attempt_count": 1,
                     *           "is_test_message": true,
                     *           "next_attempt_at": null,
                     *           "last_error": null,
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z",
                     *           "delivered_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryPage"];
                    /**
                     * @example id,channel_id,event_id,event_type,status,attempt_count,is_test_message,next_attempt_at,last_error,created_at,updated_at,delivered_at
                     *     6f1d1f4e-0000-4000-8000-000000000001,6f1d1f4e-0000-4000-8000-000000000001,6f1d1f4e-0000-5000-8000-000000000001,transaction.detected,pending,1,true,,,2026-01-01T00:00:00.000Z,2026-01-01T00:00:00.000Z,2026-01-01T00:00:00.000Z
                     */
                    "text/csv": string;
                    /** @example {"id":"6f1d1f4e-0000-4000-8000-000000000001","channel_id":"6f1d1f4e-0000-4000-8000-000000000001","event_id":"6f1d1f4e-0000-5000-8000-000000000001","event_type":"transaction.detected","status":"pending","attempt_count":1,"is_test_message":true,"next_attempt_at":null,"last_error":null,"created_at":"2026-01-01T00:00:00.000Z","updated_at":"2026-01-01T00:00:00.000Z","delivered_at":"2026-01-01T00:00:00.000Z"} */
                    "application/x-ndjson": string;
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getDelivery: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
                /**
                 * @description The delivery, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "channel_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                     *       "event_type": "transaction.detected",
                     *       "status": "pending",
                     *       "attempt_count": 1,
                     *       "is_test_message": true,
                     *       "next_attempt_at": null,
                     *       "last_error": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "delivered_at": "2026-01-01T00:00:00.000Z",
                     *       "attempts": [
                     *         {
                     *           "id": "0b0f7a3c-5a4e-4f5e-9f3a-6a1f0f1e2d3c",
                     *           "number": 1,
                     *           "started_at": "2026-01-01T00:00:00.000Z",
                     *           "duration_ms": 132,
                     *           "status_code": 200,
                     *           "error_code": null,
                     *           "request": {
                     *             "url": "https://hooks.example.com/chainwatch",
                     *             "headers": {
                     *               "content-type": "application/json"
                     *             },
                     *             "body": "{\"event_id\":\"…\"}"
                     *           },
                     *           "response_headers": {
                     *             "content-type": "text/plain"
                     *           },
                     *           "response_body": "ok"
                     *         }
                     *       ]
                     *     }
                     */
                    "application/json": components["schemas"]["DeliveryWithAttempts"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    testChannel: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: {
            content: {
                /**
                 * @example {
                 *       "event_type": "transaction.confirmed"
                 *     }
                 */
                "application/json": components["schemas"]["TestChannelInput"];
            };
        };
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "channel_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                     *       "event_type": "transaction.detected",
                     *       "status": "pending",
                     *       "attempt_count": 1,
                     *       "is_test_message": true,
                     *       "next_attempt_at": null,
                     *       "last_error": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "delivered_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    redeliver: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
                /**
                 * @description The delivery, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                delivery_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "channel_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                     *       "event_type": "transaction.detected",
                     *       "status": "pending",
                     *       "attempt_count": 1,
                     *       "is_test_message": true,
                     *       "next_attempt_at": null,
                     *       "last_error": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z",
                     *       "delivered_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Delivery"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    recover: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "since": "2026-01-01T00:00:00Z"
                 *     }
                 */
                "application/json": components["schemas"]["RecoverInput"];
            };
        };
        responses: {
            /** @description The answer. */
            202: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "recovered_count": 12
                     *     }
                     */
                    "application/json": components["schemas"]["RecoverResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWebhookSecrets: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "current": {
                     *         "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *         "mask": "svc_whsec_****QRST",
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "last_used_at": "2026-01-01T00:00:00.000Z"
                     *       },
                     *       "previous": {
                     *         "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *         "mask": "svc_whsec_****QRST",
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "rotated_at": "2026-01-01T00:00:00.000Z",
                     *         "expires_at": "2026-01-02T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["WebhookSecrets"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rotateWebhookSecret: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "current": {
                     *         "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *         "mask": "svc_whsec_****QRST",
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "last_used_at": "2026-01-01T00:00:00.000Z"
                     *       },
                     *       "previous": {
                     *         "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *         "mask": "svc_whsec_****QRST",
                     *         "created_at": "2026-01-01T00:00:00.000Z",
                     *         "rotated_at": "2026-01-01T00:00:00.000Z",
                     *         "expires_at": "2026-01-02T00:00:00.000Z"
                     *       },
                     *       "webhook_secret": "svc_whsec_0123456789ABCDEFGHIJKLMNOPQRST"
                     *     }
                     */
                    "application/json": components["schemas"]["RotatedWebhookSecret"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deletePreviousSecret: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The notification channel, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                notification_channel_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listPortalSessions: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at" | "expires_at" | "-expires_at";
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "channel_ids": [
                     *             "6f1d1f4e-0000-4000-8000-000000000001"
                     *           ],
                     *           "permissions": [
                     *             "api:notification_channel:read",
                     *             "api:delivery:read"
                     *           ],
                     *           "frame_origins": [
                     *             "https://shop.example.com"
                     *           ],
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "expires_at": "2026-01-01T01:00:00.000Z"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["PortalSessionPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createPortalSession: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "channel_ids": [
                 *         "6f1d1f4e-0000-4000-8000-000000000001"
                 *       ],
                 *       "ttl_seconds": 900,
                 *       "permissions": [
                 *         "api:notification_channel:read",
                 *         "api:delivery:read",
                 *         "api:delivery:replay"
                 *       ],
                 *       "frame_origins": [
                 *         "https://shop.example.com"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreatePortalSessionInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "channel_ids": [
                     *         "6f1d1f4e-0000-4000-8000-000000000001"
                     *       ],
                     *       "permissions": [
                     *         "api:notification_channel:read",
                     *         "api:delivery:read"
                     *       ],
                     *       "frame_origins": [
                     *         "https://shop.example.com"
                     *       ],
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "expires_at": "2026-01-01T01:00:00.000Z",
                     *       "url": "https://api.example.com/ui/portal/6f1d1f4e-0000-4000-8000-000000000001#svc_portal_0123456789ABCDEFGHIJKLMNOPQRST2YbPlI"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedPortalSession"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getPortalSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The portal session, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                portal_session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "channel_ids": [
                     *         "6f1d1f4e-0000-4000-8000-000000000001"
                     *       ],
                     *       "permissions": [
                     *         "api:notification_channel:read",
                     *         "api:delivery:read"
                     *       ],
                     *       "frame_origins": [
                     *         "https://shop.example.com"
                     *       ],
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "expires_at": "2026-01-01T01:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["PortalSession"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deletePortalSession: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The portal session, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                portal_session_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Acme",
                     *       "is_operator": true,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateWorkspace: {
        parameters: {
            query?: never;
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Acme"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateWorkspaceInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Acme",
                     *       "is_operator": true,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Workspace"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getQuotas: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The workspace, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workspace_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "addresses": 10000000,
                     *       "channels": 1000,
                     *       "streams": 100,
                     *       "keys": 1000,
                     *       "portal_sessions": 10000,
                     *       "projects": 1000,
                     *       "members": 1000,
                     *       "used": {
                     *         "addresses": 1042,
                     *         "channels": 3,
                     *         "keys": 4,
                     *         "portal_sessions": 2,
                     *         "projects": 2,
                     *         "members": 5
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Quotas"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateQuotas: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The workspace, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                workspace_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "addresses": 20000000,
                 *       "channels": 50
                 *     }
                 */
                "application/json": components["schemas"]["UpdateQuotasInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "workspace_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "addresses": 10000000,
                     *       "channels": 1000,
                     *       "streams": 100,
                     *       "keys": 1000,
                     *       "portal_sessions": 10000,
                     *       "projects": 1000,
                     *       "members": 1000,
                     *       "used": {
                     *         "addresses": 1042,
                     *         "channels": 3,
                     *         "keys": 4,
                     *         "portal_sessions": 2,
                     *         "projects": 2,
                     *         "members": 5
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["Quotas"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listProjects: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at" | "updated_at" | "-updated_at" | "name" | "-name";
                /**
                 * @description Only those whose name or label holds this text, upper or lower case.
                 * @example shop
                 */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "name": "Shop",
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["ProjectPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createProject: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop"
                 *     }
                 */
                "application/json": components["schemas"]["CreateProjectInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Shop",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Shop",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteProject: {
        parameters: {
            query?: {
                /** @description Delete what belongs to it, too; without it a 409 tells that something does. */
                cascade?: boolean;
            };
            header?: never;
            path: {
                /**
                 * @description The project, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateProject: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The project, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                project_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "name": "Shop"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateProjectInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "name": "Shop",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Project"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listMembers: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at" | "email" | "-email" | "role" | "-role";
                /** @description Only members with one of these roles. Repeated, comma-separated, or both; the name may end in `[]`. */
                roles?: ("owner" | "admin" | "developer" | "viewer")[];
                /**
                 * @description Only those whose name or label holds this text, upper or lower case.
                 * @example shop
                 */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "email": "ada@example.com",
                     *           "role": "owner",
                     *           "created_at": "2026-01-01T00:00:00.000Z",
                     *           "updated_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["MemberPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createMember: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "email": "ada@example.com",
                 *       "role": "developer"
                 *     }
                 */
                "application/json": components["schemas"]["CreateMemberInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "email": "ada@example.com",
                     *       "role": "owner",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    deleteMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The member, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                member_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    updateMember: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The member, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                member_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "role": "admin"
                 *     }
                 */
                "application/json": components["schemas"]["UpdateMemberInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "email": "ada@example.com",
                     *       "role": "owner",
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "updated_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Member"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listKeys: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at" | "name" | "-name" | "type" | "-type";
                /** @description Only those of these types. Repeated, comma-separated, or both; the name may end in `[]`. */
                types?: ("api" | "rpc" | "mgt")[];
                /**
                 * @description Only keys of these projects. Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                project_ids?: string[];
                /** @description Only those with one of these statuses. Repeated, comma-separated, or both; the name may end in `[]`. */
                statuses?: ("active" | "expired" | "revoked")[];
                /**
                 * @description Only those whose name or label holds this text, upper or lower case.
                 * @example shop
                 */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "type": "api",
                     *           "name": "Backend",
                     *           "mask": "svc_api_****bPlI",
                     *           "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "permissions": [
                     *             "api:address:read"
                     *           ],
                     *           "status": "active",
                     *           "expires_at": null,
                     *           "revoked_at": null,
                     *           "last_used_at": "2026-01-01T00:00:00.000Z",
                     *           "replaced_by": null,
                     *           "created_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["KeyPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    createKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "type": "api",
                 *       "name": "Backend",
                 *       "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *       "permissions": [
                 *         "api:address:read"
                 *       ]
                 *     }
                 */
                "application/json": components["schemas"]["CreateKeyInput"];
            };
        };
        responses: {
            /** @description Created. */
            201: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    Location: components["headers"]["Location"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "type": "api",
                     *       "name": "Backend",
                     *       "mask": "svc_api_****bPlI",
                     *       "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "permissions": [
                     *         "api:address:read"
                     *       ],
                     *       "status": "active",
                     *       "expires_at": null,
                     *       "revoked_at": null,
                     *       "last_used_at": "2026-01-01T00:00:00.000Z",
                     *       "replaced_by": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "key": "svc_api_0123456789ABCDEFGHIJKLMN2YbPlI"
                     *     }
                     */
                    "application/json": components["schemas"]["CreatedKey"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    getKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The key, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "type": "api",
                     *       "name": "Backend",
                     *       "mask": "svc_api_****bPlI",
                     *       "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "permissions": [
                     *         "api:address:read"
                     *       ],
                     *       "status": "active",
                     *       "expires_at": null,
                     *       "revoked_at": null,
                     *       "last_used_at": "2026-01-01T00:00:00.000Z",
                     *       "replaced_by": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z"
                     *     }
                     */
                    "application/json": components["schemas"]["Key"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    revokeKey: {
        parameters: {
            query?: never;
            header?: never;
            path: {
                /**
                 * @description The key, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description Done; there is nothing to say. */
            204: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content?: never;
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    rollKey: {
        parameters: {
            query?: never;
            header?: {
                /**
                 * @description Any text of your own: the same request with the same one, for 24 hours and from the same API key, is carried out once and answered alike. 409 while the first one runs, 422 for another path or body.
                 * @example order-1042
                 */
                "Idempotency-Key"?: string;
            };
            path: {
                /**
                 * @description The key, by its `id`.
                 * @example 6f1d1f4e-0000-4000-8000-000000000001
                 */
                key_id: string;
            };
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "grace_seconds": 3600
                 *     }
                 */
                "application/json": components["schemas"]["RollKeyInput"];
            };
        };
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    "Idempotency-Replayed": components["headers"]["Idempotency-Replayed"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "type": "api",
                     *       "name": "Backend",
                     *       "mask": "svc_api_****bPlI",
                     *       "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *       "permissions": [
                     *         "api:address:read"
                     *       ],
                     *       "status": "active",
                     *       "expires_at": null,
                     *       "revoked_at": null,
                     *       "last_used_at": "2026-01-01T00:00:00.000Z",
                     *       "replaced_by": null,
                     *       "created_at": "2026-01-01T00:00:00.000Z",
                     *       "key": "svc_api_0123456789ABCDEFGHIJKLMN2YbPlI",
                     *       "previous": {
                     *         "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *         "type": "api",
                     *         "name": "Backend",
                     *         "mask": "svc_api_****bPlI",
                     *         "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *         "permissions": [
                     *           "api:address:read"
                     *         ],
                     *         "status": "active",
                     *         "expires_at": null,
                     *         "revoked_at": null,
                     *         "last_used_at": "2026-01-01T00:00:00.000Z",
                     *         "replaced_by": null,
                     *         "created_at": "2026-01-01T00:00:00.000Z"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["RollKeyResult"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            404: components["responses"]["NotFound"];
            405: components["responses"]["MethodNotAllowed"];
            409: components["responses"]["Conflict"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            422: components["responses"]["UnprocessableEntity"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listAuditLogs: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "created_at" | "-created_at";
                /** @description Only entries of these actions. Repeated, comma-separated, or both; the name may end in `[]`. */
                actions?: ("workspace.updated" | "workspace.quotas_updated" | "workspace.endpoint_updated" | "workspace.network_set" | "workspace.network_deleted" | "project.created" | "project.updated" | "project.deleted" | "project.addresses_imported" | "member.created" | "member.updated" | "member.deleted" | "key.created" | "key.rolled" | "key.revoked" | "address.derived" | "address.deleted" | "public_key.deleted" | "channel.deleted" | "channel.moved" | "channel.secret_rotated" | "channel.secret_overlap_ended" | "portal_session.created" | "portal_session.deleted" | "incident.accepted" | "reprocess.requested" | "reset.requested" | "skip.requested" | "token.refreshed" | "token.corrected")[];
                /** @description Only changes of things of these kinds. Repeated, comma-separated, or both; the name may end in `[]`. */
                target_types?: ("workspace" | "project" | "member" | "key" | "address" | "public_key" | "channel" | "portal_session" | "incident" | "reprocess" | "skip" | "reset" | "token")[];
                /**
                 * @description Only changes of these things. Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                target_ids?: string[];
                /**
                 * @description Only what these keys, or members by their `id`, did. Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                actor_key_ids?: string[];
                /**
                 * @description Only what the request with that `X-Request-Id` did.
                 * @example 8d7f5a52-1f34-4d0c-9f5e-0e5b1a1d2c3b
                 */
                request_id?: string;
                /**
                 * @description Only from that time on, inclusive, by the time that the record shows.
                 * @example 2026-01-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Only before that time, exclusive, by the time that the record shows.
                 * @example 2026-01-02T00:00:00Z
                 */
                until?: string;
                /**
                 * @description Only those whose name or label holds this text, upper or lower case.
                 * @example shop
                 */
                search?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "action": "workspace.updated",
                     *           "actor": {
                     *             "key_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *             "member_id": null,
                     *             "name": "Backend",
                     *             "mask": "svc_mgt_****bPlI"
                     *           },
                     *           "target": {
                     *             "type": "workspace",
                     *             "id": "6f1d1f4e-0000-4000-8000-000000000001"
                     *           },
                     *           "changes": {
                     *             "name": {
                     *               "from": "Shop",
                     *               "to": "Store"
                     *             }
                     *           },
                     *           "request_id": "8d7f5a52-1f34-4d0c-9f5e-0e5b1a1d2c3b",
                     *           "created_at": "2026-01-01T00:00:00.000Z"
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["AuditLogPage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    listUsage: {
        parameters: {
            query?: {
                /** @description Items a page. */
                limit?: number;
                /** @description Which page, from 1. */
                page?: number;
                /**
                 * @description Goes on where a page ended: its `meta.next_cursor`, with the same filters and order. Rows that are added or removed meanwhile move no other. Not together with `page`.
                 * @example v1.main.3q2-7wAA
                 */
                cursor?: string;
                /** @description The order; `-` before the name: descending. */
                sort_by?: "hour" | "-hour";
                /**
                 * @description Only what these keys called. Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "6f1d1f4e-0000-4000-8000-000000000001"
                 *     ]
                 */
                key_ids?: string[];
                /**
                 * @description Only what belongs to these chains (CAIP-2). Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eip155:1"
                 *     ]
                 */
                chain_gids?: string[];
                /**
                 * @description Only calls of these methods. Repeated, comma-separated, or both; the name may end in `[]`.
                 * @example [
                 *       "eth_getBalance"
                 *     ]
                 */
                methods?: string[];
                /**
                 * @description Only from that time on, inclusive, by the time that the record shows.
                 * @example 2026-01-01T00:00:00Z
                 */
                since?: string;
                /**
                 * @description Only before that time, exclusive, by the time that the record shows.
                 * @example 2026-01-02T00:00:00Z
                 */
                until?: string;
            };
            header?: never;
            path?: never;
            cookie?: never;
        };
        requestBody?: never;
        responses: {
            /** @description The answer. */
            200: {
                headers: {
                    "X-Request-Id": components["headers"]["X-Request-Id"];
                    "X-RateLimit-Limit": components["headers"]["X-RateLimit-Limit"];
                    "X-RateLimit-Remaining": components["headers"]["X-RateLimit-Remaining"];
                    "X-RateLimit-Reset": components["headers"]["X-RateLimit-Reset"];
                    [name: string]: unknown;
                };
                content: {
                    /**
                     * @example {
                     *       "items": [
                     *         {
                     *           "hour": "2026-01-01T00:00:00.000Z",
                     *           "key_id": "6f1d1f4e-0000-4000-8000-000000000001",
                     *           "chain_gid": "eip155:1",
                     *           "method": "eth_getBalance",
                     *           "requests": 1200,
                     *           "failures": 3,
                     *           "cached": 400,
                     *           "bytes_in": 120000,
                     *           "bytes_out": 480000,
                     *           "latency": {
                     *             "calls": 1190,
                     *             "mean_ms": 12.41,
                     *             "p95_ms": 50,
                     *             "buckets": [
                     *               {
                     *                 "up_to_ms": 50,
                     *                 "calls": 310
                     *               }
                     *             ]
                     *           }
                     *         }
                     *       ],
                     *       "meta": {
                     *         "limit": 20,
                     *         "page": 1,
                     *         "total": 1,
                     *         "total_pages": 1,
                     *         "next_cursor": "v1.main.3q2-7wAA"
                     *       }
                     *     }
                     */
                    "application/json": components["schemas"]["UsagePage"];
                };
            };
            400: components["responses"]["InvalidRequest"];
            401: components["responses"]["Unauthorized"];
            403: components["responses"]["Forbidden"];
            405: components["responses"]["MethodNotAllowed"];
            413: components["responses"]["ContentTooLarge"];
            415: components["responses"]["UnsupportedMediaType"];
            429: components["responses"]["TooManyRequests"];
            500: components["responses"]["InternalServerError"];
            503: components["responses"]["ServiceUnavailable"];
        };
    };
    onTransactionDetected: {
        parameters: {
            query?: never;
            header: {
                /** @description `t=<unix seconds>,v1=<hexadecimal HMAC-SHA256>`, with a second `v1=` during a rotation. */
                "X-Webhook-Signature": string;
                /** @description The type of the event. */
                "X-Webhook-Event": "transaction.detected";
                /** @description The same in every attempt, and in the body: by it duplicates are dropped. */
                "X-Webhook-Event-Id": string;
                /** @description Another one in every attempt. */
                "X-Webhook-Delivery-Id": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                 *       "type": "transaction.detected",
                 *       "api_version": "v1",
                 *       "created_at": "2026-01-01T00:00:01.000Z",
                 *       "is_test_message": false,
                 *       "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *       "sequence": 18231,
                 *       "is_historical": true,
                 *       "data": {
                 *         "transaction": {
                 *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *           "chain_gid": "eip155:1",
                 *           "hash": "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
                 *           "status": "pending",
                 *           "direction": "in",
                 *           "block_number": 21000000,
                 *           "block_hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3",
                 *           "block_timestamp": "2026-01-01T00:00:00.000Z",
                 *           "tx_index": 7,
                 *           "confirmations": 1,
                 *           "required_confirmations": 12,
                 *           "fee": {
                 *             "asset_gid": "eip155:1/slip44:60",
                 *             "amount": "0.00042",
                 *             "amount_raw": "420000000000000"
                 *           },
                 *           "memo": "order 1042",
                 *           "matures_at_block": null,
                 *           "transfers": [
                 *             {
                 *               "index": 0,
                 *               "type": "native",
                 *               "asset_gid": "eip155:1/slip44:60",
                 *               "from": "0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
                 *               "to": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *               "amount": "1.5",
                 *               "amount_raw": "1500000000000000000",
                 *               "decimals": 18,
                 *               "log_index": null,
                 *               "memo": null,
                 *               "monitored_addresses": [
                 *                 "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
                 *               ]
                 *             }
                 *           ],
                 *           "replaced_by": null,
                 *           "verification": "proved",
                 *           "detected_at": "2026-01-01T00:00:01.000Z",
                 *           "confirmed_at": null,
                 *           "reorged_at": null
                 *         },
                 *         "balance_changes": [
                 *           {
                 *             "address_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *             "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *             "asset_gid": "eip155:1/slip44:60",
                 *             "delta": "1.5",
                 *             "delta_raw": "1500000000000000000"
                 *           }
                 *         ],
                 *         "addresses": [],
                 *         "truncated": false,
                 *         "addresses_truncated": true
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TransactionDetectedEvent"];
            };
        };
        responses: {
            /** @description Taken. Anything else, or none within 10 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTransactionProgress: {
        parameters: {
            query?: never;
            header: {
                /** @description `t=<unix seconds>,v1=<hexadecimal HMAC-SHA256>`, with a second `v1=` during a rotation. */
                "X-Webhook-Signature": string;
                /** @description The type of the event. */
                "X-Webhook-Event": "transaction.progress";
                /** @description The same in every attempt, and in the body: by it duplicates are dropped. */
                "X-Webhook-Event-Id": string;
                /** @description Another one in every attempt. */
                "X-Webhook-Delivery-Id": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                 *       "type": "transaction.progress",
                 *       "api_version": "v1",
                 *       "created_at": "2026-01-01T00:00:01.000Z",
                 *       "is_test_message": false,
                 *       "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *       "sequence": 18231,
                 *       "is_historical": true,
                 *       "data": {
                 *         "transaction": {
                 *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *           "chain_gid": "eip155:1",
                 *           "hash": "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
                 *           "status": "pending",
                 *           "direction": "in",
                 *           "block_number": 21000000,
                 *           "block_hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3",
                 *           "block_timestamp": "2026-01-01T00:00:00.000Z",
                 *           "tx_index": 7,
                 *           "confirmations": 1,
                 *           "required_confirmations": 12,
                 *           "fee": {
                 *             "asset_gid": "eip155:1/slip44:60",
                 *             "amount": "0.00042",
                 *             "amount_raw": "420000000000000"
                 *           },
                 *           "memo": "order 1042",
                 *           "matures_at_block": null,
                 *           "transfers": [
                 *             {
                 *               "index": 0,
                 *               "type": "native",
                 *               "asset_gid": "eip155:1/slip44:60",
                 *               "from": "0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
                 *               "to": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *               "amount": "1.5",
                 *               "amount_raw": "1500000000000000000",
                 *               "decimals": 18,
                 *               "log_index": null,
                 *               "memo": null,
                 *               "monitored_addresses": [
                 *                 "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
                 *               ]
                 *             }
                 *           ],
                 *           "replaced_by": null,
                 *           "verification": "proved",
                 *           "detected_at": "2026-01-01T00:00:01.000Z",
                 *           "confirmed_at": null,
                 *           "reorged_at": null
                 *         },
                 *         "balance_changes": [
                 *           {
                 *             "address_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *             "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *             "asset_gid": "eip155:1/slip44:60",
                 *             "delta": "1.5",
                 *             "delta_raw": "1500000000000000000"
                 *           }
                 *         ],
                 *         "addresses": [],
                 *         "truncated": false,
                 *         "addresses_truncated": true
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TransactionProgressEvent"];
            };
        };
        responses: {
            /** @description Taken. Anything else, or none within 10 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTransactionConfirmed: {
        parameters: {
            query?: never;
            header: {
                /** @description `t=<unix seconds>,v1=<hexadecimal HMAC-SHA256>`, with a second `v1=` during a rotation. */
                "X-Webhook-Signature": string;
                /** @description The type of the event. */
                "X-Webhook-Event": "transaction.confirmed";
                /** @description The same in every attempt, and in the body: by it duplicates are dropped. */
                "X-Webhook-Event-Id": string;
                /** @description Another one in every attempt. */
                "X-Webhook-Delivery-Id": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                 *       "type": "transaction.confirmed",
                 *       "api_version": "v1",
                 *       "created_at": "2026-01-01T00:00:01.000Z",
                 *       "is_test_message": false,
                 *       "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *       "sequence": 18231,
                 *       "is_historical": true,
                 *       "data": {
                 *         "transaction": {
                 *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *           "chain_gid": "eip155:1",
                 *           "hash": "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
                 *           "status": "pending",
                 *           "direction": "in",
                 *           "block_number": 21000000,
                 *           "block_hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3",
                 *           "block_timestamp": "2026-01-01T00:00:00.000Z",
                 *           "tx_index": 7,
                 *           "confirmations": 1,
                 *           "required_confirmations": 12,
                 *           "fee": {
                 *             "asset_gid": "eip155:1/slip44:60",
                 *             "amount": "0.00042",
                 *             "amount_raw": "420000000000000"
                 *           },
                 *           "memo": "order 1042",
                 *           "matures_at_block": null,
                 *           "transfers": [
                 *             {
                 *               "index": 0,
                 *               "type": "native",
                 *               "asset_gid": "eip155:1/slip44:60",
                 *               "from": "0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
                 *               "to": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *               "amount": "1.5",
                 *               "amount_raw": "1500000000000000000",
                 *               "decimals": 18,
                 *               "log_index": null,
                 *               "memo": null,
                 *               "monitored_addresses": [
                 *                 "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
                 *               ]
                 *             }
                 *           ],
                 *           "replaced_by": null,
                 *           "verification": "proved",
                 *           "detected_at": "2026-01-01T00:00:01.000Z",
                 *           "confirmed_at": null,
                 *           "reorged_at": null
                 *         },
                 *         "balance_changes": [
                 *           {
                 *             "address_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *             "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *             "asset_gid": "eip155:1/slip44:60",
                 *             "delta": "1.5",
                 *             "delta_raw": "1500000000000000000"
                 *           }
                 *         ],
                 *         "addresses": [],
                 *         "truncated": false,
                 *         "addresses_truncated": true
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TransactionConfirmedEvent"];
            };
        };
        responses: {
            /** @description Taken. Anything else, or none within 10 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTransactionReorged: {
        parameters: {
            query?: never;
            header: {
                /** @description `t=<unix seconds>,v1=<hexadecimal HMAC-SHA256>`, with a second `v1=` during a rotation. */
                "X-Webhook-Signature": string;
                /** @description The type of the event. */
                "X-Webhook-Event": "transaction.reorged";
                /** @description The same in every attempt, and in the body: by it duplicates are dropped. */
                "X-Webhook-Event-Id": string;
                /** @description Another one in every attempt. */
                "X-Webhook-Delivery-Id": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                 *       "type": "transaction.reorged",
                 *       "api_version": "v1",
                 *       "created_at": "2026-01-01T00:00:01.000Z",
                 *       "is_test_message": false,
                 *       "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *       "sequence": 18231,
                 *       "is_historical": true,
                 *       "data": {
                 *         "transaction": {
                 *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *           "chain_gid": "eip155:1",
                 *           "hash": "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
                 *           "status": "pending",
                 *           "direction": "in",
                 *           "block_number": 21000000,
                 *           "block_hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3",
                 *           "block_timestamp": "2026-01-01T00:00:00.000Z",
                 *           "tx_index": 7,
                 *           "confirmations": 1,
                 *           "required_confirmations": 12,
                 *           "fee": {
                 *             "asset_gid": "eip155:1/slip44:60",
                 *             "amount": "0.00042",
                 *             "amount_raw": "420000000000000"
                 *           },
                 *           "memo": "order 1042",
                 *           "matures_at_block": null,
                 *           "transfers": [
                 *             {
                 *               "index": 0,
                 *               "type": "native",
                 *               "asset_gid": "eip155:1/slip44:60",
                 *               "from": "0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
                 *               "to": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *               "amount": "1.5",
                 *               "amount_raw": "1500000000000000000",
                 *               "decimals": 18,
                 *               "log_index": null,
                 *               "memo": null,
                 *               "monitored_addresses": [
                 *                 "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
                 *               ]
                 *             }
                 *           ],
                 *           "replaced_by": null,
                 *           "verification": "proved",
                 *           "detected_at": "2026-01-01T00:00:01.000Z",
                 *           "confirmed_at": null,
                 *           "reorged_at": null
                 *         },
                 *         "balance_changes": [
                 *           {
                 *             "address_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *             "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *             "asset_gid": "eip155:1/slip44:60",
                 *             "delta": "1.5",
                 *             "delta_raw": "1500000000000000000"
                 *           }
                 *         ],
                 *         "addresses": [],
                 *         "truncated": false,
                 *         "addresses_truncated": true
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TransactionReorgedEvent"];
            };
        };
        responses: {
            /** @description Taken. Anything else, or none within 10 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onTransactionFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description `t=<unix seconds>,v1=<hexadecimal HMAC-SHA256>`, with a second `v1=` during a rotation. */
                "X-Webhook-Signature": string;
                /** @description The type of the event. */
                "X-Webhook-Event": "transaction.failed";
                /** @description The same in every attempt, and in the body: by it duplicates are dropped. */
                "X-Webhook-Event-Id": string;
                /** @description Another one in every attempt. */
                "X-Webhook-Delivery-Id": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                 *       "type": "transaction.failed",
                 *       "api_version": "v1",
                 *       "created_at": "2026-01-01T00:00:01.000Z",
                 *       "is_test_message": false,
                 *       "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *       "sequence": 18231,
                 *       "is_historical": true,
                 *       "data": {
                 *         "transaction": {
                 *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *           "chain_gid": "eip155:1",
                 *           "hash": "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060",
                 *           "status": "pending",
                 *           "direction": "in",
                 *           "block_number": 21000000,
                 *           "block_hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3",
                 *           "block_timestamp": "2026-01-01T00:00:00.000Z",
                 *           "tx_index": 7,
                 *           "confirmations": 1,
                 *           "required_confirmations": 12,
                 *           "fee": {
                 *             "asset_gid": "eip155:1/slip44:60",
                 *             "amount": "0.00042",
                 *             "amount_raw": "420000000000000"
                 *           },
                 *           "memo": "order 1042",
                 *           "matures_at_block": null,
                 *           "transfers": [
                 *             {
                 *               "index": 0,
                 *               "type": "native",
                 *               "asset_gid": "eip155:1/slip44:60",
                 *               "from": "0x742d35Cc6634C0532925a3b844Bc454e4438f44e",
                 *               "to": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *               "amount": "1.5",
                 *               "amount_raw": "1500000000000000000",
                 *               "decimals": 18,
                 *               "log_index": null,
                 *               "memo": null,
                 *               "monitored_addresses": [
                 *                 "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
                 *               ]
                 *             }
                 *           ],
                 *           "replaced_by": null,
                 *           "verification": "proved",
                 *           "detected_at": "2026-01-01T00:00:01.000Z",
                 *           "confirmed_at": null,
                 *           "reorged_at": null
                 *         },
                 *         "balance_changes": [
                 *           {
                 *             "address_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *             "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *             "asset_gid": "eip155:1/slip44:60",
                 *             "delta": "1.5",
                 *             "delta_raw": "1500000000000000000"
                 *           }
                 *         ],
                 *         "addresses": [],
                 *         "truncated": false,
                 *         "addresses_truncated": true
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["TransactionFailedEvent"];
            };
        };
        responses: {
            /** @description Taken. Anything else, or none within 10 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onBalanceChanged: {
        parameters: {
            query?: never;
            header: {
                /** @description `t=<unix seconds>,v1=<hexadecimal HMAC-SHA256>`, with a second `v1=` during a rotation. */
                "X-Webhook-Signature": string;
                /** @description The type of the event. */
                "X-Webhook-Event": "balance.changed";
                /** @description The same in every attempt, and in the body: by it duplicates are dropped. */
                "X-Webhook-Event-Id": string;
                /** @description Another one in every attempt. */
                "X-Webhook-Delivery-Id": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                 *       "type": "balance.changed",
                 *       "api_version": "v1",
                 *       "created_at": "2026-01-01T00:00:01.000Z",
                 *       "is_test_message": false,
                 *       "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *       "sequence": 18231,
                 *       "is_historical": true,
                 *       "data": {
                 *         "address_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *         "address": "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045",
                 *         "chain_gid": "eip155:1",
                 *         "asset_gid": "eip155:1/slip44:60",
                 *         "previous": "0",
                 *         "current": "1.5",
                 *         "delta": "1.5",
                 *         "current_raw": "1500000000000000000",
                 *         "delta_raw": "1500000000000000000",
                 *         "changes": [
                 *           {
                 *             "reason": "withdrawal",
                 *             "amount": "1.5",
                 *             "amount_raw": "1500000000000000000"
                 *           }
                 *         ],
                 *         "block_number": 21000000,
                 *         "block_hash": "0xd4e56740f876aef8c010b86a40d5f56745a118d0906a34e69aae90f7f1a4a1d3",
                 *         "is_confirmed": false,
                 *         "verification": "attested",
                 *         "addresses": []
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["BalanceChangedEvent"];
            };
        };
        responses: {
            /** @description Taken. Anything else, or none within 10 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
    onChannelFailed: {
        parameters: {
            query?: never;
            header: {
                /** @description `t=<unix seconds>,v1=<hexadecimal HMAC-SHA256>`, with a second `v1=` during a rotation. */
                "X-Webhook-Signature": string;
                /** @description The type of the event. */
                "X-Webhook-Event": "channel.failed";
                /** @description The same in every attempt, and in the body: by it duplicates are dropped. */
                "X-Webhook-Event-Id": string;
                /** @description Another one in every attempt. */
                "X-Webhook-Delivery-Id": string;
            };
            path?: never;
            cookie?: never;
        };
        requestBody: {
            content: {
                /**
                 * @example {
                 *       "event_id": "6f1d1f4e-0000-5000-8000-000000000001",
                 *       "type": "channel.failed",
                 *       "api_version": "v1",
                 *       "created_at": "2026-01-01T00:00:01.000Z",
                 *       "is_test_message": false,
                 *       "project_id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *       "sequence": 18231,
                 *       "is_historical": true,
                 *       "data": {
                 *         "channel": {
                 *           "id": "6f1d1f4e-0000-4000-8000-000000000001",
                 *           "kind": "webhook",
                 *           "name": "Payments",
                 *           "failed_at": "2026-01-01T00:00:00.000Z",
                 *           "failure_reason": "the receiver answered 410 Gone"
                 *         }
                 *       }
                 *     }
                 */
                "application/json": components["schemas"]["ChannelFailedEvent"];
            };
        };
        responses: {
            /** @description Taken. Anything else, or none within 10 seconds, is tried again. */
            "2XX": {
                headers: {
                    [name: string]: unknown;
                };
                content?: never;
            };
        };
    };
}
