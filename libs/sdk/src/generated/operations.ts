/** Written by tools/sdk from the OpenAPI document: one method per operation. Change the routes, not this file. */
import type { CallOperation, RequestOptions } from '../call-operation.ts';
import { Pages } from '../pages.ts';
import type { Answer, Body, Page, Query } from '../operation-types.ts';

/** Operations under `version`. */
export class VersionOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Version of the service.
   *
   * Any valid key may ask. `GET /version`
   */
  get(options?: RequestOptions): Promise<Answer<'getVersion'>> {
    return this.#call({ method: 'GET', path: '/version', options });
  }
}

/** Operations under `session`. */
export class SessionOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Who asks, with a session or a key, and on which projects it may act.
   *
   * Any valid key may ask. `GET /session`
   */
  get(options?: RequestOptions): Promise<Answer<'getSession'>> {
    return this.#call({ method: 'GET', path: '/session', options });
  }

  /**
   * Sign a browser in with the key of the request: the answer sets the cookie, for 12 hours.
   *
   * Any valid key may ask. `POST /session`
   */
  create(options?: RequestOptions): Promise<Answer<'createSession'>> {
    return this.#call({ method: 'POST', path: '/session', options });
  }

  /**
   * Sign out: the session ends, and the answer removes the cookie.
   *
   * Any valid key may ask. `DELETE /session`
   */
  delete(options?: RequestOptions): Promise<Answer<'deleteSession'>> {
    return this.#call({ method: 'DELETE', path: '/session', options });
  }
}

/** Operations under `search`. */
export class SearchOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * What an address, hash, id or label belongs to, among what the key may read.
   *
   * Any valid key may ask. `GET /search`
   */
  search(query: Query<'search'>, options?: RequestOptions): Promise<Answer<'search'>> {
    return this.#call({ method: 'GET', path: '/search', query, options });
  }
}

/** Operations under `stats`. */
export class StatOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Figures of the project for an overview.
   *
   * Needs the permission `api:event:read`. `GET /stats`
   */
  get(options?: RequestOptions): Promise<Answer<'getStats'>> {
    return this.#call({ method: 'GET', path: '/stats', options });
  }

  /**
   * Events, deliveries, success rate, and latency over a period, for charts.
   *
   * Needs the permission `api:event:read`. `GET /stats/series`
   */
  getSeries(query?: Query<'getStatsSeries'>, options?: RequestOptions): Promise<Answer<'getStatsSeries'>> {
    return this.#call({ method: 'GET', path: '/stats/series', query, options });
  }
}

/** Operations under `networks`. */
export class NetworkOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Every network that this service can follow.
   *
   * Any valid key may ask. `GET /networks`
   */
  list(options?: RequestOptions): Promise<Answer<'listNetworks'>> {
    return this.#call({ method: 'GET', path: '/networks', options });
  }

  /**
   * One network.
   *
   * Any valid key may ask. `GET /networks/{chain_gid}`
   */
  get(chainGid: string, options?: RequestOptions): Promise<Answer<'getNetwork'>> {
    return this.#call({ method: 'GET', path: '/networks/{chain_gid}', params: { chain_gid: chainGid }, options });
  }

  /**
   * Say what a network is, beside those of the release or in place of one.
   *
   * Needs the permission `api:blockchain:write`. `PUT /networks/{chain_gid}`
   */
  put(chainGid: string, body: Body<'putNetwork'>, options?: RequestOptions): Promise<Answer<'putNetwork'>> {
    return this.#call({ method: 'PUT', path: '/networks/{chain_gid}', params: { chain_gid: chainGid }, body, options });
  }

  /**
   * Forget what was said of a network: it is what the release says, or is not known.
   *
   * Needs the permission `api:blockchain:write`. `DELETE /networks/{chain_gid}`
   */
  delete(chainGid: string, options?: RequestOptions): Promise<Answer<'deleteNetwork'>> {
    return this.#call({ method: 'DELETE', path: '/networks/{chain_gid}', params: { chain_gid: chainGid }, options });
  }
}

/** Operations under `blockchains`. */
export class BlockchainOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Blockchains of this service.
   *
   * Needs the permission `api:blockchain:read`. `GET /blockchains`
   */
  list(query?: Query<'listBlockchains'>, options?: RequestOptions): Pages<Page<'listBlockchains'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/blockchains', query: asked, options }));
  }

  /**
   * Add the blockchain of a known network.
   *
   * Needs the permission `api:blockchain:write`. `POST /blockchains`
   */
  create(body: Body<'createBlockchain'>, options?: RequestOptions): Promise<Answer<'createBlockchain'>> {
    return this.#call({ method: 'POST', path: '/blockchains', body, options });
  }

  /**
   * One blockchain, and its upgrades.
   *
   * Needs the permission `api:blockchain:read`. `GET /blockchains/{chain_gid}`
   */
  get(chainGid: string, options?: RequestOptions): Promise<Answer<'getBlockchain'>> {
    return this.#call({ method: 'GET', path: '/blockchains/{chain_gid}', params: { chain_gid: chainGid }, options });
  }

  /**
   * Start to monitor a blockchain.
   *
   * Needs the permission `api:blockchain:write`. `POST /blockchains/{chain_gid}/actions/activate`
   */
  activate(chainGid: string, body?: Body<'activateBlockchain'>, options?: RequestOptions): Promise<Answer<'activateBlockchain'>> {
    return this.#call({ method: 'POST', path: '/blockchains/{chain_gid}/actions/activate', params: { chain_gid: chainGid }, body, options });
  }

  /**
   * Stop to monitor a blockchain.
   *
   * Needs the permission `api:blockchain:write`. `POST /blockchains/{chain_gid}/actions/deactivate`
   */
  deactivate(chainGid: string, options?: RequestOptions): Promise<Answer<'deactivateBlockchain'>> {
    return this.#call({ method: 'POST', path: '/blockchains/{chain_gid}/actions/deactivate', params: { chain_gid: chainGid }, options });
  }

  /**
   * Decode blocks again with the release of today, tell what it finds in addition, and try again what is set aside.
   *
   * Needs the permission `api:blockchain:write`. `POST /blockchains/{chain_gid}/actions/reprocess`
   */
  reprocessBlocks(chainGid: string, body: Body<'reprocessBlocks'>, options?: RequestOptions): Promise<Answer<'reprocessBlocks'>> {
    return this.#call({ method: 'POST', path: '/blockchains/{chain_gid}/actions/reprocess', params: { chain_gid: chainGid }, body, options });
  }

  /**
   * Give up blocks of a blockchain as if they were orphaned, and follow what its node says now.
   *
   * Needs the permission `api:blockchain:write`. `POST /blockchains/{chain_gid}/actions/reset`
   */
  reset(chainGid: string, body: Body<'resetBlockchain'>, options?: RequestOptions): Promise<Answer<'resetBlockchain'>> {
    return this.#call({ method: 'POST', path: '/blockchains/{chain_gid}/actions/reset', params: { chain_gid: chainGid }, body, options });
  }

  /**
   * Go on without the bodies of blocks that no node of a blockchain has.
   *
   * Needs the permission `api:blockchain:write`. `POST /blockchains/{chain_gid}/actions/skip`
   */
  skipBlocks(chainGid: string, body: Body<'skipBlocks'>, options?: RequestOptions): Promise<Answer<'skipBlocks'>> {
    return this.#call({ method: 'POST', path: '/blockchains/{chain_gid}/actions/skip', params: { chain_gid: chainGid }, body, options });
  }

  /**
   * How the nodes are that a blockchain is read from, as the block ingestor found them.
   *
   * Needs the permission `api:blockchain:write`. `GET /blockchains/{chain_gid}/nodes`
   */
  listNodes(chainGid: string, options?: RequestOptions): Promise<Answer<'listNodes'>> {
    return this.#call({ method: 'GET', path: '/blockchains/{chain_gid}/nodes', params: { chain_gid: chainGid }, options });
  }

  /**
   * Further nodes of a blockchain.
   *
   * Needs the permission `api:blockchain:write`. `GET /blockchains/{chain_gid}/endpoints`
   */
  listEndpoints(chainGid: string, options?: RequestOptions): Promise<Answer<'listEndpoints'>> {
    return this.#call({ method: 'GET', path: '/blockchains/{chain_gid}/endpoints', params: { chain_gid: chainGid }, options });
  }

  /**
   * Add a further node of a blockchain.
   *
   * Needs the permission `api:blockchain:write`. `POST /blockchains/{chain_gid}/endpoints`
   */
  createEndpoint(chainGid: string, body: Body<'createEndpoint'>, query?: Query<'createEndpoint'>, options?: RequestOptions): Promise<Answer<'createEndpoint'>> {
    return this.#call({ method: 'POST', path: '/blockchains/{chain_gid}/endpoints', params: { chain_gid: chainGid }, query, body, options });
  }

  /**
   * A further node of a blockchain.
   *
   * Needs the permission `api:blockchain:write`. `GET /blockchains/{chain_gid}/endpoints/{endpoint_id}`
   */
  getEndpoint(chainGid: string, endpointId: string, options?: RequestOptions): Promise<Answer<'getEndpoint'>> {
    return this.#call({ method: 'GET', path: '/blockchains/{chain_gid}/endpoints/{endpoint_id}', params: { chain_gid: chainGid, endpoint_id: endpointId }, options });
  }

  /**
   * Change the weight of a further node of a blockchain.
   *
   * Needs the permission `api:blockchain:write`. `PATCH /blockchains/{chain_gid}/endpoints/{endpoint_id}`
   */
  updateEndpoint(chainGid: string, endpointId: string, body: Body<'updateEndpoint'>, options?: RequestOptions): Promise<Answer<'updateEndpoint'>> {
    return this.#call({ method: 'PATCH', path: '/blockchains/{chain_gid}/endpoints/{endpoint_id}', params: { chain_gid: chainGid, endpoint_id: endpointId }, body, options });
  }

  /**
   * Remove a further node of a blockchain.
   *
   * Needs the permission `api:blockchain:write`. `DELETE /blockchains/{chain_gid}/endpoints/{endpoint_id}`
   */
  deleteEndpoint(chainGid: string, endpointId: string, options?: RequestOptions): Promise<Answer<'deleteEndpoint'>> {
    return this.#call({ method: 'DELETE', path: '/blockchains/{chain_gid}/endpoints/{endpoint_id}', params: { chain_gid: chainGid, endpoint_id: endpointId }, options });
  }

  /**
   * What this release does not know in the blocks of a chain, and what it set aside.
   *
   * Needs the permission `api:blockchain:read`. `GET /blockchains/{chain_gid}/incidents`
   */
  listIncidents(chainGid: string, query?: Query<'listIncidents'>, options?: RequestOptions): Pages<Page<'listIncidents'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/blockchains/{chain_gid}/incidents', params: { chain_gid: chainGid }, query: asked, options }));
  }

  /**
   * Accept the reported transactions of the blocks of an incident; later blocks with the same kind open another one.
   *
   * Needs the permission `api:blockchain:write`. `POST /blockchains/{chain_gid}/incidents/{incident_id}/actions/accept`
   */
  acceptIncident(chainGid: string, incidentId: string, options?: RequestOptions): Promise<Answer<'acceptIncident'>> {
    return this.#call({ method: 'POST', path: '/blockchains/{chain_gid}/incidents/{incident_id}/actions/accept', params: { chain_gid: chainGid, incident_id: incidentId }, options });
  }

  /**
   * Set the node and the settings of a blockchain of the family evm.
   *
   * Needs the permission `api:blockchain:write`. `PATCH /blockchains/{chain_gid}/evm`
   */
  updateEvmEndpoint(chainGid: string, body: Body<'updateEvmEndpoint'>, query?: Query<'updateEvmEndpoint'>, options?: RequestOptions): Promise<Answer<'updateEvmEndpoint'>> {
    return this.#call({ method: 'PATCH', path: '/blockchains/{chain_gid}/evm', params: { chain_gid: chainGid }, query, body, options });
  }

  /**
   * Set the node and the settings of a blockchain of the family bitcoin.
   *
   * Needs the permission `api:blockchain:write`. `PATCH /blockchains/{chain_gid}/bitcoin`
   */
  updateBitcoinEndpoint(chainGid: string, body: Body<'updateBitcoinEndpoint'>, query?: Query<'updateBitcoinEndpoint'>, options?: RequestOptions): Promise<Answer<'updateBitcoinEndpoint'>> {
    return this.#call({ method: 'PATCH', path: '/blockchains/{chain_gid}/bitcoin', params: { chain_gid: chainGid }, query, body, options });
  }

  /**
   * Set the node and the settings of a blockchain of the family solana.
   *
   * Needs the permission `api:blockchain:write`. `PATCH /blockchains/{chain_gid}/solana`
   */
  updateSolanaEndpoint(chainGid: string, body: Body<'updateSolanaEndpoint'>, query?: Query<'updateSolanaEndpoint'>, options?: RequestOptions): Promise<Answer<'updateSolanaEndpoint'>> {
    return this.#call({ method: 'PATCH', path: '/blockchains/{chain_gid}/solana', params: { chain_gid: chainGid }, query, body, options });
  }

  /**
   * Set the node and the settings of a blockchain of the family tron.
   *
   * Needs the permission `api:blockchain:write`. `PATCH /blockchains/{chain_gid}/tron`
   */
  updateTronEndpoint(chainGid: string, body: Body<'updateTronEndpoint'>, query?: Query<'updateTronEndpoint'>, options?: RequestOptions): Promise<Answer<'updateTronEndpoint'>> {
    return this.#call({ method: 'PATCH', path: '/blockchains/{chain_gid}/tron', params: { chain_gid: chainGid }, query, body, options });
  }
}

/** Operations under `incidents`. */
export class IncidentOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * What of the project was set aside, so that the rest goes on.
   *
   * Needs the permission `api:event:read`. `GET /incidents`
   */
  listOwn(query?: Query<'listOwnIncidents'>, options?: RequestOptions): Pages<Page<'listOwnIncidents'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/incidents', query: asked, options }));
  }
}

/** Operations under `blocks`. */
export class BlockOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Blocks with their processing statuses.
   *
   * Needs the permission `api:block:read`. `GET /blocks`
   */
  list(query?: Query<'listBlocks'>, options?: RequestOptions): Pages<Page<'listBlocks'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/blocks', query: asked, options }));
  }

  /**
   * The block at a height: the canonical one, else the orphan seen last.
   *
   * Needs the permission `api:block:read`. `GET /blocks/{chain_gid}/{block_number}`
   */
  get(chainGid: string, blockNumber: number, options?: RequestOptions): Promise<Answer<'getBlock'>> {
    return this.#call({ method: 'GET', path: '/blocks/{chain_gid}/{block_number}', params: { chain_gid: chainGid, block_number: blockNumber }, options });
  }
}

/** Operations under `assets`. */
export class AssetOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Native coins, and what the project created or discovered on its addresses; archived ones only with is_archived=true.
   *
   * Needs the permission `api:asset:read`. `GET /assets`
   */
  list(query?: Query<'listAssets'>, options?: RequestOptions): Pages<Page<'listAssets'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/assets', query: asked, options }));
  }

  /**
   * Leave an asset out of the project's listings and balances.
   *
   * Needs the permission `api:asset:write`. `POST /assets/{chain_gid}/{asset_path}/actions/archive`
   */
  archive(chainGid: string, assetPath: string, options?: RequestOptions): Promise<Answer<'archiveAsset'>> {
    return this.#call({ method: 'POST', path: '/assets/{chain_gid}/{asset_path}/actions/archive', params: { chain_gid: chainGid, asset_path: assetPath }, options });
  }

  /**
   * List an archived asset of the project as active again.
   *
   * Needs the permission `api:asset:write`. `POST /assets/{chain_gid}/{asset_path}/actions/restore`
   */
  restore(chainGid: string, assetPath: string, options?: RequestOptions): Promise<Answer<'restoreAsset'>> {
    return this.#call({ method: 'POST', path: '/assets/{chain_gid}/{asset_path}/actions/restore', params: { chain_gid: chainGid, asset_path: assetPath }, options });
  }
}

/** Operations under `tokens`. */
export class TokenOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Native coins and the project's tokens; archived ones and contracts that are no token are left out.
   *
   * Needs the permission `api:token:read`. `GET /tokens`
   */
  list(query?: Query<'listTokens'>, options?: RequestOptions): Pages<Page<'listTokens'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/tokens', query: asked, options }));
  }

  /**
   * One token of the project's list.
   *
   * Needs the permission `api:token:read`. `GET /tokens/{chain_gid}/{asset_path}`
   */
  get(chainGid: string, assetPath: string, options?: RequestOptions): Promise<Answer<'getToken'>> {
    return this.#call({ method: 'GET', path: '/tokens/{chain_gid}/{asset_path}', params: { chain_gid: chainGid, asset_path: assetPath }, options });
  }

  /**
   * Add a token to the project's list; its name, symbol and decimals are read from the chain.
   *
   * Needs the permission `api:token:write`. `POST /tokens/{chain_gid}/{asset_path}`
   */
  create(chainGid: string, assetPath: string, options?: RequestOptions): Promise<Answer<'createToken'>> {
    return this.#call({ method: 'POST', path: '/tokens/{chain_gid}/{asset_path}', params: { chain_gid: chainGid, asset_path: assetPath }, options });
  }

  /**
   * Read a token of the project's list again from its chain; corrects decimals, and with them balances, lists, and events still to come.
   *
   * Needs the permission `api:token:write`. `POST /tokens/{chain_gid}/{asset_path}/actions/refresh`
   */
  refresh(chainGid: string, assetPath: string, options?: RequestOptions): Promise<Answer<'refreshToken'>> {
    return this.#call({ method: 'POST', path: '/tokens/{chain_gid}/{asset_path}/actions/refresh', params: { chain_gid: chainGid, asset_path: assetPath }, options });
  }
}

/** Operations under `public_keys`. */
export class PublicKeyOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Extended public keys of the project.
   *
   * Needs the permission `api:public_key:read`. `GET /public_keys`
   */
  list(query?: Query<'listPublicKeys'>, options?: RequestOptions): Pages<Page<'listPublicKeys'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/public_keys', query: asked, options }));
  }

  /**
   * Add the extended public key of an account.
   *
   * Needs the permission `api:public_key:write`. `POST /public_keys`
   */
  create(body: Body<'createPublicKey'>, options?: RequestOptions): Promise<Answer<'createPublicKey'>> {
    return this.#call({ method: 'POST', path: '/public_keys', body, options });
  }

  /**
   * One extended public key.
   *
   * Needs the permission `api:public_key:read`. `GET /public_keys/{public_key_id}`
   */
  get(publicKeyId: string, options?: RequestOptions): Promise<Answer<'getPublicKey'>> {
    return this.#call({ method: 'GET', path: '/public_keys/{public_key_id}', params: { public_key_id: publicKeyId }, options });
  }

  /**
   * Change a public key's label.
   *
   * Needs the permission `api:public_key:write`. `PATCH /public_keys/{public_key_id}`
   */
  update(publicKeyId: string, body: Body<'updatePublicKey'>, options?: RequestOptions): Promise<Answer<'updatePublicKey'>> {
    return this.#call({ method: 'PATCH', path: '/public_keys/{public_key_id}', params: { public_key_id: publicKeyId }, body, options });
  }

  /**
   * Delete a public key for good; with `cascade` its addresses too.
   *
   * Needs the permission `api:public_key:write`. `DELETE /public_keys/{public_key_id}`
   */
  delete(publicKeyId: string, query?: Query<'deletePublicKey'>, options?: RequestOptions): Promise<Answer<'deletePublicKey'>> {
    return this.#call({ method: 'DELETE', path: '/public_keys/{public_key_id}', params: { public_key_id: publicKeyId }, query, options });
  }

  /**
   * HD addresses derived from a public key, by index unless asked otherwise.
   *
   * Needs the permission `api:address:read`. `GET /public_keys/{public_key_id}/addresses`
   */
  listAddresses(publicKeyId: string, query?: Query<'listPublicKeyAddresses'>, options?: RequestOptions): Pages<Page<'listPublicKeyAddresses'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/public_keys/{public_key_id}/addresses', params: { public_key_id: publicKeyId }, query: asked, options }));
  }

  /**
   * Generate HD addresses by a list of indexes, by a range, or the next one.
   *
   * Needs the permission `api:address:write`. `POST /public_keys/{public_key_id}/addresses`
   */
  createAddresses(publicKeyId: string, body?: Body<'createPublicKeyAddresses'>, options?: RequestOptions): Promise<Answer<'createPublicKeyAddresses'>> {
    return this.#call({ method: 'POST', path: '/public_keys/{public_key_id}/addresses', params: { public_key_id: publicKeyId }, body, options });
  }

  /**
   * Generate the HD address at the highest existing index plus one.
   *
   * Needs the permission `api:address:write`. `POST /public_keys/{public_key_id}/addresses/next`
   */
  createNextAddress(publicKeyId: string, body?: Body<'createNextAddress'>, options?: RequestOptions): Promise<Answer<'createNextAddress'>> {
    return this.#call({ method: 'POST', path: '/public_keys/{public_key_id}/addresses/next', params: { public_key_id: publicKeyId }, body, options });
  }
}

/** Operations under `addresses`. */
export class AddressOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Addresses of the project, HD and external.
   *
   * Needs the permission `api:address:read`. `GET /addresses`
   */
  list(query?: Query<'listAddresses'>, options?: RequestOptions): Pages<Page<'listAddresses'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/addresses', query: asked, options }));
  }

  /**
   * Change labels, metadata, groups or monitoring of up to 1,000 addresses.
   *
   * Needs the permission `api:address:write`. `PATCH /addresses`
   */
  updateMany(body: Body<'updateManyAddresses'>, options?: RequestOptions): Promise<Answer<'updateManyAddresses'>> {
    return this.#call({ method: 'PATCH', path: '/addresses', body, options });
  }

  /**
   * HD addresses of all public keys of the project.
   *
   * Needs the permission `api:address:read`. `GET /addresses/hd`
   */
  listHd(query?: Query<'listHdAddresses'>, options?: RequestOptions): Pages<Page<'listHdAddresses'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/addresses/hd', query: asked, options }));
  }

  /**
   * Import an address and monitor it from now on.
   *
   * Needs the permission `api:address:write`. `POST /addresses/external`
   */
  createExternal(body: Body<'createExternalAddress'>, options?: RequestOptions): Promise<Answer<'createExternalAddress'>> {
    return this.#call({ method: 'POST', path: '/addresses/external', body, options });
  }

  /**
   * Import up to 10,000 addresses and monitor them from now on; entries fail and succeed one by one.
   *
   * Needs the permission `api:address:write`. `POST /addresses/external/batch`
   */
  import(body: Body<'importAddresses'>, options?: RequestOptions): Promise<Answer<'importAddresses'>> {
    return this.#call({ method: 'POST', path: '/addresses/external/batch', body, options });
  }

  /**
   * Balances of up to 1,000 addresses.
   *
   * Needs the permission `api:address:read`. `POST /addresses/balances/query`
   */
  queryBalances(body: Body<'queryBalances'>, options?: RequestOptions): Promise<Answer<'queryBalances'>> {
    return this.#call({ method: 'POST', path: '/addresses/balances/query', body, options });
  }

  /**
   * Check up to 10,000 addresses before an import, and detect their families; nothing is stored.
   *
   * Needs the permission `api:address:read`. `POST /addresses/check`
   */
  checkMany(body: Body<'checkManyAddresses'>, options?: RequestOptions): Promise<Answer<'checkManyAddresses'>> {
    return this.#call({ method: 'POST', path: '/addresses/check', body, options });
  }

  /**
   * One address.
   *
   * Needs the permission `api:address:read`. `GET /addresses/{address}`
   */
  get(address: string, options?: RequestOptions): Promise<Answer<'getAddress'>> {
    return this.#call({ method: 'GET', path: '/addresses/{address}', params: { address: address }, options });
  }

  /**
   * Change an address's label, metadata, groups or monitoring.
   *
   * Needs the permission `api:address:write`. `PATCH /addresses/{address}`
   */
  update(address: string, body: Body<'updateAddress'>, options?: RequestOptions): Promise<Answer<'updateAddress'>> {
    return this.#call({ method: 'PATCH', path: '/addresses/{address}', params: { address: address }, body, options });
  }

  /**
   * Delete an address for good.
   *
   * Needs the permission `api:address:write`. `DELETE /addresses/{address}`
   */
  delete(address: string, options?: RequestOptions): Promise<Answer<'deleteAddress'>> {
    return this.#call({ method: 'DELETE', path: '/addresses/{address}', params: { address: address }, options });
  }

  /**
   * Read what an address did before it was monitored.
   *
   * Needs the permission `api:address:write`. `POST /addresses/{address}/actions/backfill`
   */
  backfill(address: string, body: Body<'backfillAddress'>, options?: RequestOptions): Promise<Answer<'backfillAddress'>> {
    return this.#call({ method: 'POST', path: '/addresses/{address}/actions/backfill', params: { address: address }, body, options });
  }

  /**
   * The HD representation of a derived address.
   *
   * Needs the permission `api:address:read`. `GET /addresses/{address}/hd`
   */
  getHd(address: string, options?: RequestOptions): Promise<Answer<'getHdAddress'>> {
    return this.#call({ method: 'GET', path: '/addresses/{address}/hd', params: { address: address }, options });
  }

  /**
   * The external representation of an imported address.
   *
   * Needs the permission `api:address:read`. `GET /addresses/{address}/external`
   */
  getExternal(address: string, options?: RequestOptions): Promise<Answer<'getExternalAddress'>> {
    return this.#call({ method: 'GET', path: '/addresses/{address}/external', params: { address: address }, options });
  }

  /**
   * Balances by CAIP-19 asset: active assets discovered on the address, but for those that the project archived.
   *
   * Needs the permission `api:address:read`. `GET /addresses/{address}/balances`
   */
  getBalances(address: string, query?: Query<'getBalances'>, options?: RequestOptions): Promise<Answer<'getBalances'>> {
    return this.#call({ method: 'GET', path: '/addresses/{address}/balances', params: { address: address }, query, options });
  }

  /**
   * Balances of an address by asset: confirmed, unconfirmed, and immature.
   *
   * Needs the permission `api:address:read`. `GET /addresses/{address}/balances/details`
   */
  getBalanceDetails(address: string, options?: RequestOptions): Promise<Answer<'getBalanceDetails'>> {
    return this.#call({ method: 'GET', path: '/addresses/{address}/balances/details', params: { address: address }, options });
  }

  /**
   * Balances of an address as the chain stated them, from the block on from which it is watched: wherever one changed, and now and then where none did.
   *
   * Needs the permission `api:address:read`. `GET /addresses/{address}/balances/history`
   */
  listBalanceHistory(address: string, query?: Query<'listBalanceHistory'>, options?: RequestOptions): Pages<Page<'listBalanceHistory'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/addresses/{address}/balances/history', params: { address: address }, query: asked, options }));
  }

  /**
   * What changed balances of an address and no transaction explains.
   *
   * Needs the permission `api:address:read`. `GET /addresses/{address}/adjustments`
   */
  listAdjustments(address: string, query?: Query<'listAdjustments'>, options?: RequestOptions): Pages<Page<'listAdjustments'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/addresses/{address}/adjustments', params: { address: address }, query: asked, options }));
  }

  /**
   * Unspent outputs of an address, as of the last processed block; empty on account-based chains.
   *
   * Needs the permission `api:address:read`. `GET /addresses/{address}/utxos`
   */
  listUtxos(address: string, query?: Query<'listUtxos'>, options?: RequestOptions): Pages<Page<'listUtxos'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/addresses/{address}/utxos', params: { address: address }, query: asked, options }));
  }
}

/** Operations under `transactions`. */
export class TransactionOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Transactions of monitored addresses of the project.
   *
   * Needs the permission `api:transaction:read`. `GET /transactions`
   */
  list(query?: Query<'listTransactions'>, options?: RequestOptions): Pages<Page<'listTransactions'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/transactions', query: asked, options }));
  }

  /**
   * One transaction of the project, by its `id`.
   *
   * Needs the permission `api:transaction:read`. `GET /transactions/{transaction_id}`
   */
  get(transactionId: string, options?: RequestOptions): Promise<Answer<'getTransaction'>> {
    return this.#call({ method: 'GET', path: '/transactions/{transaction_id}', params: { transaction_id: transactionId }, options });
  }

  /**
   * One transaction of the project, by its chain and its hash.
   *
   * Needs the permission `api:transaction:read`. `GET /transactions/{chain_gid}/{hash}`
   */
  getByHash(chainGid: string, hash: string, options?: RequestOptions): Promise<Answer<'getTransactionByHash'>> {
    return this.#call({ method: 'GET', path: '/transactions/{chain_gid}/{hash}', params: { chain_gid: chainGid, hash: hash }, options });
  }

  /**
   * What shows that the transaction is in its block, without trust in this service.
   *
   * Needs the permission `api:transaction:read`. `GET /transactions/{chain_gid}/{hash}/proof`
   */
  getProof(chainGid: string, hash: string, options?: RequestOptions): Promise<Answer<'getTransactionProof'>> {
    return this.#call({ method: 'GET', path: '/transactions/{chain_gid}/{hash}/proof', params: { chain_gid: chainGid, hash: hash }, options });
  }
}

/** Operations under `statements`. */
export class StatementOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Statements of the project.
   *
   * Needs the permission `api:statement:read`. `GET /statements`
   */
  list(query?: Query<'listStatements'>, options?: RequestOptions): Pages<Page<'listStatements'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/statements', query: asked, options }));
  }

  /**
   * Have a signed statement of balances and movements written.
   *
   * Needs the permission `api:statement:write`. `POST /statements`
   */
  create(body: Body<'createStatement'>, options?: RequestOptions): Promise<Answer<'createStatement'>> {
    return this.#call({ method: 'POST', path: '/statements', body, options });
  }

  /**
   * A statement: how far it is, and its signature once it is completed.
   *
   * Needs the permission `api:statement:read`. `GET /statements/{statement_id}`
   */
  get(statementId: string, options?: RequestOptions): Promise<Answer<'getStatement'>> {
    return this.#call({ method: 'GET', path: '/statements/{statement_id}', params: { statement_id: statementId }, options });
  }

  /**
   * Delete a statement with its document; one that is being written ends.
   *
   * Needs the permission `api:statement:write`. `DELETE /statements/{statement_id}`
   */
  delete(statementId: string, options?: RequestOptions): Promise<Answer<'deleteStatement'>> {
    return this.#call({ method: 'DELETE', path: '/statements/{statement_id}', params: { statement_id: statementId }, options });
  }

  /**
   * The document of a completed statement.
   *
   * Needs the permission `api:statement:read`. `GET /statements/{statement_id}/download`
   */
  download(statementId: string, options?: RequestOptions): Promise<ReadableStream<Uint8Array>> {
    return this.#call({ method: 'GET', path: '/statements/{statement_id}/download', params: { statement_id: statementId }, isDocument: true, options });
  }
}

/** Operations under `reconciliations`. */
export class ReconciliationOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Reconciliations of the project.
   *
   * Needs the permission `api:reconciliation:read`. `GET /reconciliations`
   */
  list(query?: Query<'listReconciliations'>, options?: RequestOptions): Pages<Page<'listReconciliations'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/reconciliations', query: asked, options }));
  }

  /**
   * Compare a ledger with the transactions of the project: the body is the ledger, at most 1,000,000 rows and 256 MiB, and `Content-Type` says its format; rows fail and succeed one by one.
   *
   * Needs the permission `api:reconciliation:write`. `POST /reconciliations`
   */
  create(body: Body<'createReconciliation'>, query?: Query<'createReconciliation'>, options?: RequestOptions): Promise<Answer<'createReconciliation'>> {
    return this.#call({ method: 'POST', path: '/reconciliations', query, body, contentType: 'text/csv', options });
  }

  /**
   * One reconciliation: how far it is, and how many rows there are of each class.
   *
   * Needs the permission `api:reconciliation:read`. `GET /reconciliations/{reconciliation_id}`
   */
  get(reconciliationId: string, options?: RequestOptions): Promise<Answer<'getReconciliation'>> {
    return this.#call({ method: 'GET', path: '/reconciliations/{reconciliation_id}', params: { reconciliation_id: reconciliationId }, options });
  }

  /**
   * Delete a reconciliation with its rows; one that is under way ends.
   *
   * Needs the permission `api:reconciliation:write`. `DELETE /reconciliations/{reconciliation_id}`
   */
  delete(reconciliationId: string, options?: RequestOptions): Promise<Answer<'deleteReconciliation'>> {
    return this.#call({ method: 'DELETE', path: '/reconciliations/{reconciliation_id}', params: { reconciliation_id: reconciliationId }, options });
  }

  /**
   * What came of each row of a ledger, in the order of its lines, then the movements that it lacks.
   *
   * Needs the permission `api:reconciliation:read`. `GET /reconciliations/{reconciliation_id}/rows`
   */
  listRows(reconciliationId: string, query?: Query<'listReconciliationRows'>, options?: RequestOptions): Pages<Page<'listReconciliationRows'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/reconciliations/{reconciliation_id}/rows', params: { reconciliation_id: reconciliationId }, query: asked, options }));
  }
}

/** Operations under `confirmation_policies`. */
export class ConfirmationPolicyOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Confirmation policies of the project; other chains follow their own rule.
   *
   * Needs the permission `api:confirmation_policy:read`. `GET /confirmation_policies`
   */
  list(query?: Query<'listConfirmationPolicies'>, options?: RequestOptions): Pages<Page<'listConfirmationPolicies'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/confirmation_policies', query: asked, options }));
  }

  /**
   * The project's confirmation policy of a chain.
   *
   * Needs the permission `api:confirmation_policy:read`. `GET /confirmation_policies/{chain_gid}`
   */
  get(chainGid: string, options?: RequestOptions): Promise<Answer<'getConfirmationPolicy'>> {
    return this.#call({ method: 'GET', path: '/confirmation_policies/{chain_gid}', params: { chain_gid: chainGid }, options });
  }

  /**
   * Say when transactions of the project that are detected from now on are confirmed on a chain.
   *
   * Needs the permission `api:confirmation_policy:write`. `PUT /confirmation_policies/{chain_gid}`
   */
  set(chainGid: string, body: Body<'setConfirmationPolicy'>, options?: RequestOptions): Promise<Answer<'setConfirmationPolicy'>> {
    return this.#call({ method: 'PUT', path: '/confirmation_policies/{chain_gid}', params: { chain_gid: chainGid }, body, options });
  }

  /**
   * Let the chain decide again for transactions that are detected from now on.
   *
   * Needs the permission `api:confirmation_policy:write`. `DELETE /confirmation_policies/{chain_gid}`
   */
  delete(chainGid: string, options?: RequestOptions): Promise<Answer<'deleteConfirmationPolicy'>> {
    return this.#call({ method: 'DELETE', path: '/confirmation_policies/{chain_gid}', params: { chain_gid: chainGid }, options });
  }
}

/** Operations under `events`. */
export class EventOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Events of the project, as they were sent; kept for 30 days unless configured otherwise.
   *
   * Needs the permission `api:event:read`. `GET /events`
   */
  list(query?: Query<'listEvents'>, options?: RequestOptions): Pages<Page<'listEvents'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/events', query: asked, options }));
  }

  /**
   * One event, as it was sent.
   *
   * Needs the permission `api:event:read`. A portal session may ask, about its own channels. `GET /events/{event_id}`
   */
  get(eventId: string, options?: RequestOptions): Promise<Answer<'getEvent'>> {
    return this.#call({ method: 'GET', path: '/events/{event_id}', params: { event_id: eventId }, options });
  }

  /**
   * Deliveries of an event through all channels.
   *
   * Needs the permission `api:delivery:read`. `GET /events/{event_id}/deliveries`
   */
  listDeliveries(eventId: string, query?: Query<'listEventDeliveries'>, options?: RequestOptions): Pages<Page<'listEventDeliveries'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/events/{event_id}/deliveries', params: { event_id: eventId }, query: asked, options }));
  }
}

/** Operations under `notification_channels`. */
export class NotificationChannelOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Which events of the past a channel would have had; also needs api:event:read.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/preview`
   */
  preview(body: Body<'previewChannel'>, options?: RequestOptions): Promise<Answer<'previewChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/preview', body, options });
  }

  /**
   * Try the receiver of a sandbox channel: made-up events that come twice, in the wrong order, late, or all at once.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/{notification_channel_id}/actions/rehearse`
   */
  rehearse(notificationChannelId: string, body: Body<'rehearseChannel'>, options?: RequestOptions): Promise<Answer<'rehearseChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/{notification_channel_id}/actions/rehearse', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * Notification channels of the project.
   *
   * Needs the permission `api:notification_channel:read`. A portal session may ask, about its own channels. `GET /notification_channels`
   */
  list(query?: Query<'listChannels'>, options?: RequestOptions): Pages<Page<'listChannels'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/notification_channels', query: asked, options }));
  }

  /**
   * Create a webhook channel; the answer shows its signing secret this once.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/webhook`
   */
  createWebhook(body: Body<'createWebhookChannel'>, options?: RequestOptions): Promise<Answer<'createWebhookChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/webhook', body, options });
  }

  /**
   * Change a webhook channel; a new URL makes a failed channel active again.
   *
   * Needs the permission `api:notification_channel:write`. `PATCH /notification_channels/webhook/{notification_channel_id}`
   */
  updateWebhook(notificationChannelId: string, body: Body<'updateWebhookChannel'>, options?: RequestOptions): Promise<Answer<'updateWebhookChannel'>> {
    return this.#call({ method: 'PATCH', path: '/notification_channels/webhook/{notification_channel_id}', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * Create a channel that posts to Discord through a webhook.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/discord`
   */
  createDiscord(body: Body<'createDiscordChannel'>, options?: RequestOptions): Promise<Answer<'createDiscordChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/discord', body, options });
  }

  /**
   * Change a Discord channel; a new URL makes a failed channel active again.
   *
   * Needs the permission `api:notification_channel:write`. `PATCH /notification_channels/discord/{notification_channel_id}`
   */
  updateDiscord(notificationChannelId: string, body: Body<'updateDiscordChannel'>, options?: RequestOptions): Promise<Answer<'updateDiscordChannel'>> {
    return this.#call({ method: 'PATCH', path: '/notification_channels/discord/{notification_channel_id}', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * Create a channel that sends mails; each recipient is asked first, and events are held until then.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/email`
   */
  createEmail(body: Body<'createEmailChannel'>, options?: RequestOptions): Promise<Answer<'createEmailChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/email', body, options });
  }

  /**
   * Change an e-mail channel; recipients that are new, or have not confirmed, are asked.
   *
   * Needs the permission `api:notification_channel:write`. `PATCH /notification_channels/email/{notification_channel_id}`
   */
  updateEmail(notificationChannelId: string, body: Body<'updateEmailChannel'>, options?: RequestOptions): Promise<Answer<'updateEmailChannel'>> {
    return this.#call({ method: 'PATCH', path: '/notification_channels/email/{notification_channel_id}', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * Create a channel that POSTs events as lines; the answer shows its signing secret this once.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/http_batch`
   */
  createHttpBatch(body: Body<'createHttpBatchChannel'>, options?: RequestOptions): Promise<Answer<'createHttpBatchChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/http_batch', body, options });
  }

  /**
   * Change an HTTP batch channel; a new URL makes a failed channel active again.
   *
   * Needs the permission `api:notification_channel:write`. `PATCH /notification_channels/http_batch/{notification_channel_id}`
   */
  updateHttpBatch(notificationChannelId: string, body: Body<'updateHttpBatchChannel'>, options?: RequestOptions): Promise<Answer<'updateHttpBatchChannel'>> {
    return this.#call({ method: 'PATCH', path: '/notification_channels/http_batch/{notification_channel_id}', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * Create a channel that writes to your own Kafka topic.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/kafka`
   */
  createKafka(body: Body<'createKafkaChannel'>, options?: RequestOptions): Promise<Answer<'createKafkaChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/kafka', body, options });
  }

  /**
   * Change a Kafka channel; new brokers or another topic make a failed channel active again.
   *
   * Needs the permission `api:notification_channel:write`. `PATCH /notification_channels/kafka/{notification_channel_id}`
   */
  updateKafka(notificationChannelId: string, body: Body<'updateKafkaChannel'>, options?: RequestOptions): Promise<Answer<'updateKafkaChannel'>> {
    return this.#call({ method: 'PATCH', path: '/notification_channels/kafka/{notification_channel_id}', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * Create a channel that publishes to your own NATS server.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/nats`
   */
  createNats(body: Body<'createNatsChannel'>, options?: RequestOptions): Promise<Answer<'createNatsChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/nats', body, options });
  }

  /**
   * Change a NATS channel; a new URL or subject makes a failed channel active again.
   *
   * Needs the permission `api:notification_channel:write`. `PATCH /notification_channels/nats/{notification_channel_id}`
   */
  updateNats(notificationChannelId: string, body: Body<'updateNatsChannel'>, options?: RequestOptions): Promise<Answer<'updateNatsChannel'>> {
    return this.#call({ method: 'PATCH', path: '/notification_channels/nats/{notification_channel_id}', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * Create a channel that publishes to your own RabbitMQ server.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/rabbitmq`
   */
  createRabbitmq(body: Body<'createRabbitmqChannel'>, options?: RequestOptions): Promise<Answer<'createRabbitmqChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/rabbitmq', body, options });
  }

  /**
   * Change a RabbitMQ channel; a new URL, exchange, or routing key makes a failed channel active again.
   *
   * Needs the permission `api:notification_channel:write`. `PATCH /notification_channels/rabbitmq/{notification_channel_id}`
   */
  updateRabbitmq(notificationChannelId: string, body: Body<'updateRabbitmqChannel'>, options?: RequestOptions): Promise<Answer<'updateRabbitmqChannel'>> {
    return this.#call({ method: 'PATCH', path: '/notification_channels/rabbitmq/{notification_channel_id}', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * Create a channel that adds events to your own Redis stream.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/redis_stream`
   */
  createRedisStream(body: Body<'createRedisStreamChannel'>, options?: RequestOptions): Promise<Answer<'createRedisStreamChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/redis_stream', body, options });
  }

  /**
   * Change a Redis channel; a new URL or stream makes a failed channel active again.
   *
   * Needs the permission `api:notification_channel:write`. `PATCH /notification_channels/redis_stream/{notification_channel_id}`
   */
  updateRedisStream(notificationChannelId: string, body: Body<'updateRedisStreamChannel'>, options?: RequestOptions): Promise<Answer<'updateRedisStreamChannel'>> {
    return this.#call({ method: 'PATCH', path: '/notification_channels/redis_stream/{notification_channel_id}', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * Create a channel that posts to Slack through an incoming webhook.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/slack`
   */
  createSlack(body: Body<'createSlackChannel'>, options?: RequestOptions): Promise<Answer<'createSlackChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/slack', body, options });
  }

  /**
   * Change a Slack channel; a new URL makes a failed channel active again.
   *
   * Needs the permission `api:notification_channel:write`. `PATCH /notification_channels/slack/{notification_channel_id}`
   */
  updateSlack(notificationChannelId: string, body: Body<'updateSlackChannel'>, options?: RequestOptions): Promise<Answer<'updateSlackChannel'>> {
    return this.#call({ method: 'PATCH', path: '/notification_channels/slack/{notification_channel_id}', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * Create a channel that sends to your own SQS queue.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/sqs`
   */
  createSqs(body: Body<'createSqsChannel'>, options?: RequestOptions): Promise<Answer<'createSqsChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/sqs', body, options });
  }

  /**
   * Change an SQS channel; a new queue makes a failed channel active again.
   *
   * Needs the permission `api:notification_channel:write`. `PATCH /notification_channels/sqs/{notification_channel_id}`
   */
  updateSqs(notificationChannelId: string, body: Body<'updateSqsChannel'>, options?: RequestOptions): Promise<Answer<'updateSqsChannel'>> {
    return this.#call({ method: 'PATCH', path: '/notification_channels/sqs/{notification_channel_id}', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * Create a channel that posts to a Telegram chat through your own bot.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/telegram`
   */
  createTelegram(body: Body<'createTelegramChannel'>, options?: RequestOptions): Promise<Answer<'createTelegramChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/telegram', body, options });
  }

  /**
   * Change a Telegram channel; another bot or chat makes a failed channel active again.
   *
   * Needs the permission `api:notification_channel:write`. `PATCH /notification_channels/telegram/{notification_channel_id}`
   */
  updateTelegram(notificationChannelId: string, body: Body<'updateTelegramChannel'>, options?: RequestOptions): Promise<Answer<'updateTelegramChannel'>> {
    return this.#call({ method: 'PATCH', path: '/notification_channels/telegram/{notification_channel_id}', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * One notification channel.
   *
   * Needs the permission `api:notification_channel:read`. A portal session may ask, about its own channels. `GET /notification_channels/{notification_channel_id}`
   */
  get(notificationChannelId: string, options?: RequestOptions): Promise<Answer<'getChannel'>> {
    return this.#call({ method: 'GET', path: '/notification_channels/{notification_channel_id}', params: { notification_channel_id: notificationChannelId }, options });
  }

  /**
   * Delete a notification channel with its deliveries.
   *
   * Needs the permission `api:notification_channel:write`. `DELETE /notification_channels/{notification_channel_id}`
   */
  delete(notificationChannelId: string, options?: RequestOptions): Promise<Answer<'deleteChannel'>> {
    return this.#call({ method: 'DELETE', path: '/notification_channels/{notification_channel_id}', params: { notification_channel_id: notificationChannelId }, options });
  }

  /**
   * Disable a notification channel and keep its configuration.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/{notification_channel_id}/actions/archive`
   */
  archive(notificationChannelId: string, options?: RequestOptions): Promise<Answer<'archiveChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/{notification_channel_id}/actions/archive', params: { notification_channel_id: notificationChannelId }, options });
  }

  /**
   * Make an archived or failed channel active again; held events are delivered, or discarded with held=discard.
   *
   * Needs the permission `api:notification_channel:write`. `POST /notification_channels/{notification_channel_id}/actions/restore`
   */
  restore(notificationChannelId: string, query?: Query<'restoreChannel'>, options?: RequestOptions): Promise<Answer<'restoreChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/{notification_channel_id}/actions/restore', params: { notification_channel_id: notificationChannelId }, query, options });
  }

  /**
   * Deliveries of a channel.
   *
   * Needs the permission `api:delivery:read`. A portal session may ask, about its own channels. `GET /notification_channels/{notification_channel_id}/deliveries`
   */
  listDeliveries(notificationChannelId: string, query?: Query<'listDeliveries'>, options?: RequestOptions): Pages<Page<'listDeliveries'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/notification_channels/{notification_channel_id}/deliveries', params: { notification_channel_id: notificationChannelId }, query: asked, options }));
  }

  /**
   * One delivery with its attempts.
   *
   * Needs the permission `api:delivery:read`. A portal session may ask, about its own channels. `GET /notification_channels/{notification_channel_id}/deliveries/{delivery_id}`
   */
  getDelivery(notificationChannelId: string, deliveryId: string, options?: RequestOptions): Promise<Answer<'getDelivery'>> {
    return this.#call({ method: 'GET', path: '/notification_channels/{notification_channel_id}/deliveries/{delivery_id}', params: { notification_channel_id: notificationChannelId, delivery_id: deliveryId }, options });
  }

  /**
   * Send a test message through the channel, whatever its status; a success makes a failed channel active again.
   *
   * Needs the permission `api:notification_channel:write`. A portal session may ask, about its own channels. `POST /notification_channels/{notification_channel_id}/actions/test`
   */
  test(notificationChannelId: string, body?: Body<'testChannel'>, options?: RequestOptions): Promise<Answer<'testChannel'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/{notification_channel_id}/actions/test', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * Send an event again, with the same event id and a new delivery id; it waits while its channel is failed or archived.
   *
   * Needs the permission `api:delivery:replay`. A portal session may ask, about its own channels. `POST /notification_channels/{notification_channel_id}/deliveries/{delivery_id}/actions/redeliver`
   */
  redeliver(notificationChannelId: string, deliveryId: string, options?: RequestOptions): Promise<Answer<'redeliver'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/{notification_channel_id}/deliveries/{delivery_id}/actions/redeliver', params: { notification_channel_id: notificationChannelId, delivery_id: deliveryId }, options });
  }

  /**
   * Send again, in event order, what failed or was discarded since a time.
   *
   * Needs the permission `api:delivery:replay`. A portal session may ask, about its own channels. `POST /notification_channels/{notification_channel_id}/deliveries/actions/recover`
   */
  recover(notificationChannelId: string, body: Body<'recover'>, options?: RequestOptions): Promise<Answer<'recover'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/{notification_channel_id}/deliveries/actions/recover', params: { notification_channel_id: notificationChannelId }, body, options });
  }

  /**
   * Masks and times of the signing secrets of a webhook channel.
   *
   * Needs the permission `api:webhook_secret:read`. `GET /notification_channels/{notification_channel_id}/webhook-secrets`
   */
  getWebhookSecrets(notificationChannelId: string, options?: RequestOptions): Promise<Answer<'getWebhookSecrets'>> {
    return this.#call({ method: 'GET', path: '/notification_channels/{notification_channel_id}/webhook-secrets', params: { notification_channel_id: notificationChannelId }, options });
  }

  /**
   * Make a new signing secret; for 24 hours deliveries are signed with the old one too.
   *
   * Needs the permission `api:webhook_secret:rotate`. `POST /notification_channels/{notification_channel_id}/webhook-secrets/actions/rotate`
   */
  rotateWebhookSecret(notificationChannelId: string, options?: RequestOptions): Promise<Answer<'rotateWebhookSecret'>> {
    return this.#call({ method: 'POST', path: '/notification_channels/{notification_channel_id}/webhook-secrets/actions/rotate', params: { notification_channel_id: notificationChannelId }, options });
  }

  /**
   * End the overlap of a rotation: from now on only the new secret signs.
   *
   * Needs the permission `api:webhook_secret:rotate`. `DELETE /notification_channels/{notification_channel_id}/webhook-secrets/previous`
   */
  deletePreviousSecret(notificationChannelId: string, options?: RequestOptions): Promise<Answer<'deletePreviousSecret'>> {
    return this.#call({ method: 'DELETE', path: '/notification_channels/{notification_channel_id}/webhook-secrets/previous', params: { notification_channel_id: notificationChannelId }, options });
  }
}

/** Operations under `portal_sessions`. */
export class PortalSessionOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * Portal sessions of the project that have not ended.
   *
   * Needs the permission `api:notification_channel:read`. `GET /portal_sessions`
   */
  list(query?: Query<'listPortalSessions'>, options?: RequestOptions): Pages<Page<'listPortalSessions'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/portal_sessions', query: asked, options }));
  }

  /**
   * Open a delivery page for one of your customers, to embed in your own page; its URL is in this answer only.
   *
   * Needs the permission `api:notification_channel:write`. `POST /portal_sessions`
   */
  create(body: Body<'createPortalSession'>, options?: RequestOptions): Promise<Answer<'createPortalSession'>> {
    return this.#call({ method: 'POST', path: '/portal_sessions', body, options });
  }

  /**
   * One portal session that has not ended, without its token.
   *
   * Needs the permission `api:notification_channel:read`. A portal session may ask, about its own channels. `GET /portal_sessions/{portal_session_id}`
   */
  get(portalSessionId: string, options?: RequestOptions): Promise<Answer<'getPortalSession'>> {
    return this.#call({ method: 'GET', path: '/portal_sessions/{portal_session_id}', params: { portal_session_id: portalSessionId }, options });
  }

  /**
   * End a portal session at once.
   *
   * Needs the permission `api:notification_channel:write`. `DELETE /portal_sessions/{portal_session_id}`
   */
  delete(portalSessionId: string, options?: RequestOptions): Promise<Answer<'deletePortalSession'>> {
    return this.#call({ method: 'DELETE', path: '/portal_sessions/{portal_session_id}', params: { portal_session_id: portalSessionId }, options });
  }
}

/** Operations under `management`. */
export class ManagementOperations {
  readonly #call: CallOperation;

  constructor(call: CallOperation) {
    this.#call = call;
  }

  /**
   * The workspace of the key.
   *
   * Needs the permission `mgt:workspace:read`. `GET /management/workspace`
   */
  getWorkspace(options?: RequestOptions): Promise<Answer<'getWorkspace'>> {
    return this.#call({ method: 'GET', path: '/management/workspace', options });
  }

  /**
   * Rename the workspace.
   *
   * Needs the permission `mgt:workspace:write`. `PATCH /management/workspace`
   */
  updateWorkspace(body: Body<'updateWorkspace'>, options?: RequestOptions): Promise<Answer<'updateWorkspace'>> {
    return this.#call({ method: 'PATCH', path: '/management/workspace', body, options });
  }

  /**
   * What a workspace may have, and what it has; for the operator's keys.
   *
   * Needs the permission `mgt:quota:read`. `GET /management/workspaces/{workspace_id}/quotas`
   */
  getQuotas(workspaceId: string, options?: RequestOptions): Promise<Answer<'getQuotas'>> {
    return this.#call({ method: 'GET', path: '/management/workspaces/{workspace_id}/quotas', params: { workspace_id: workspaceId }, options });
  }

  /**
   * Set what a workspace may have, by the operator's keys; what is `null` or not named gets its default. What it has already stays.
   *
   * Needs the permission `mgt:quota:write`. `PUT /management/workspaces/{workspace_id}/quotas`
   */
  updateQuotas(workspaceId: string, body: Body<'updateQuotas'>, options?: RequestOptions): Promise<Answer<'updateQuotas'>> {
    return this.#call({ method: 'PUT', path: '/management/workspaces/{workspace_id}/quotas', params: { workspace_id: workspaceId }, body, options });
  }

  /**
   * Projects of the workspace.
   *
   * Needs the permission `mgt:project:read`. `GET /management/projects`
   */
  listProjects(query?: Query<'listProjects'>, options?: RequestOptions): Pages<Page<'listProjects'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/management/projects', query: asked, options }));
  }

  /**
   * Add a project to the workspace.
   *
   * Needs the permission `mgt:project:write`. `POST /management/projects`
   */
  createProject(body: Body<'createProject'>, options?: RequestOptions): Promise<Answer<'createProject'>> {
    return this.#call({ method: 'POST', path: '/management/projects', body, options });
  }

  /**
   * One project.
   *
   * Needs the permission `mgt:project:read`. `GET /management/projects/{project_id}`
   */
  getProject(projectId: string, options?: RequestOptions): Promise<Answer<'getProject'>> {
    return this.#call({ method: 'GET', path: '/management/projects/{project_id}', params: { project_id: projectId }, options });
  }

  /**
   * Rename a project.
   *
   * Needs the permission `mgt:project:write`. `PATCH /management/projects/{project_id}`
   */
  updateProject(projectId: string, body: Body<'updateProject'>, options?: RequestOptions): Promise<Answer<'updateProject'>> {
    return this.#call({ method: 'PATCH', path: '/management/projects/{project_id}', params: { project_id: projectId }, body, options });
  }

  /**
   * Delete a project for good with its keys and history; with `cascade` its addresses, public keys and channels too.
   *
   * Needs the permission `mgt:project:write`. `DELETE /management/projects/{project_id}`
   */
  deleteProject(projectId: string, query?: Query<'deleteProject'>, options?: RequestOptions): Promise<Answer<'deleteProject'>> {
    return this.#call({ method: 'DELETE', path: '/management/projects/{project_id}', params: { project_id: projectId }, query, options });
  }

  /**
   * Members of the workspace.
   *
   * Needs the permission `mgt:member:read`. `GET /management/members`
   */
  listMembers(query?: Query<'listMembers'>, options?: RequestOptions): Pages<Page<'listMembers'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/management/members', query: asked, options }));
  }

  /**
   * Add a member to the workspace.
   *
   * Needs the permission `mgt:member:write`. `POST /management/members`
   */
  createMember(body: Body<'createMember'>, options?: RequestOptions): Promise<Answer<'createMember'>> {
    return this.#call({ method: 'POST', path: '/management/members', body, options });
  }

  /**
   * Change a member's email address or role; the last owner stays one.
   *
   * Needs the permission `mgt:member:write`. `PATCH /management/members/{member_id}`
   */
  updateMember(memberId: string, body: Body<'updateMember'>, options?: RequestOptions): Promise<Answer<'updateMember'>> {
    return this.#call({ method: 'PATCH', path: '/management/members/{member_id}', params: { member_id: memberId }, body, options });
  }

  /**
   * Remove a member from the workspace; the last owner stays.
   *
   * Needs the permission `mgt:member:write`. `DELETE /management/members/{member_id}`
   */
  deleteMember(memberId: string, options?: RequestOptions): Promise<Answer<'deleteMember'>> {
    return this.#call({ method: 'DELETE', path: '/management/members/{member_id}', params: { member_id: memberId }, options });
  }

  /**
   * Keys of the workspace and its projects, revoked ones included.
   *
   * Needs the permission `mgt:key:read`. `GET /management/keys`
   */
  listKeys(query?: Query<'listKeys'>, options?: RequestOptions): Pages<Page<'listKeys'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/management/keys', query: asked, options }));
  }

  /**
   * Make a key; its text is in this answer only.
   *
   * Needs the permission `mgt:key:write`. `POST /management/keys`
   */
  createKey(body: Body<'createKey'>, options?: RequestOptions): Promise<Answer<'createKey'>> {
    return this.#call({ method: 'POST', path: '/management/keys', body, options });
  }

  /**
   * One key, without its text.
   *
   * Needs the permission `mgt:key:read`. `GET /management/keys/{key_id}`
   */
  getKey(keyId: string, options?: RequestOptions): Promise<Answer<'getKey'>> {
    return this.#call({ method: 'GET', path: '/management/keys/{key_id}', params: { key_id: keyId }, options });
  }

  /**
   * Revoke a key, at once and for good; it stays in the list.
   *
   * Needs the permission `mgt:key:write`. `DELETE /management/keys/{key_id}`
   */
  revokeKey(keyId: string, options?: RequestOptions): Promise<Answer<'revokeKey'>> {
    return this.#call({ method: 'DELETE', path: '/management/keys/{key_id}', params: { key_id: keyId }, options });
  }

  /**
   * Put a new key with the same permissions in the place of one, which ends after the grace.
   *
   * Needs the permission `mgt:key:write`. `POST /management/keys/{key_id}/actions/roll`
   */
  rollKey(keyId: string, body: Body<'rollKey'>, options?: RequestOptions): Promise<Answer<'rollKey'>> {
    return this.#call({ method: 'POST', path: '/management/keys/{key_id}/actions/roll', params: { key_id: keyId }, body, options });
  }

  /**
   * Who changed what in the workspace.
   *
   * Needs the permission `mgt:audit:read`. `GET /management/audit_logs`
   */
  listAuditLogs(query?: Query<'listAuditLogs'>, options?: RequestOptions): Pages<Page<'listAuditLogs'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/management/audit_logs', query: asked, options }));
  }

  /**
   * What the RPC keys of the workspace called, by the hour.
   *
   * Needs the permission `mgt:key:read`. `GET /management/usage`
   */
  listUsage(query?: Query<'listUsage'>, options?: RequestOptions): Pages<Page<'listUsage'>> {
    return new Pages(query, (asked) => this.#call({ method: 'GET', path: '/management/usage', query: asked, options }));
  }
}

export function createOperations(call: CallOperation) {
  return {
    version: new VersionOperations(call),
    session: new SessionOperations(call),
    search: new SearchOperations(call),
    stats: new StatOperations(call),
    networks: new NetworkOperations(call),
    blockchains: new BlockchainOperations(call),
    incidents: new IncidentOperations(call),
    blocks: new BlockOperations(call),
    assets: new AssetOperations(call),
    tokens: new TokenOperations(call),
    publicKeys: new PublicKeyOperations(call),
    addresses: new AddressOperations(call),
    transactions: new TransactionOperations(call),
    statements: new StatementOperations(call),
    reconciliations: new ReconciliationOperations(call),
    confirmationPolicies: new ConfirmationPolicyOperations(call),
    events: new EventOperations(call),
    notificationChannels: new NotificationChannelOperations(call),
    portalSessions: new PortalSessionOperations(call),
    management: new ManagementOperations(call),
  };
}

export type Operations = ReturnType<typeof createOperations>;
