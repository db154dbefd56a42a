import { z } from 'zod';
import { endpointContext, type ChainEndpoint, type ChainFamilyName } from '@chainwatch/chain-core';
import { booleanParameter } from '@chainwatch/http';
import { unprocessableEntity } from '@chainwatch/problem';
import { announceChain } from '../../chains/announce-chain.ts';
import { defineRoute } from '../../server/define-route.ts';
import { findChain, loadFamily } from '../../chains/find-chain.ts';
import { blockchainInclude, blockchainSchema, toBlockchainRecord } from '../../records/blockchain.ts';
import { chainParams } from '../../records/path-schemas.ts';
import { verifyEndpoint } from './verify-endpoint.ts';

const nodeUrl = z
  .url({ protocol: /^(https?|wss?)$/, error: 'expected a URL that begins with https:, http:, wss: or ws:' })
  .max(2_048)
  .meta({
    description: 'URL of the JSON-RPC interface of the node; on TRON of its HTTP wallet API. Write-only.',
    examples: ['https://node.example.com:8545'],
  });

interface EndpointBody {
  endpoint_url?: string;
  evm_endpoint_url?: string;
}

export const updateEvmEndpoint = endpointRoute('evm', z.strictObject({ endpoint_url: nodeUrl }), {
  endpoint_url: 'https://node.example.com:8545',
});
export const updateSolanaEndpoint = endpointRoute('solana', z.strictObject({ endpoint_url: nodeUrl }), {
  endpoint_url: 'https://node.example.com:8899',
});
export const updateBitcoinEndpoint = endpointRoute('bitcoin', z.strictObject({ endpoint_url: nodeUrl }), {
  endpoint_url: 'https://node.example.com:8332',
});
/** Either or both (decisions.md 1.5). */
export const updateTronEndpoint = endpointRoute(
  'tron',
  z
    .strictObject({
      endpoint_url: nodeUrl.optional(),
      evm_endpoint_url: nodeUrl.optional().meta({
        description: 'URL of the Ethereum-compatible JSON-RPC interface of the node. Write-only.',
        examples: ['https://node.example.com/jsonrpc'],
      }),
    })
    .refine((body) => body.endpoint_url !== undefined || body.evm_endpoint_url !== undefined, {
      path: ['evm_endpoint_url'],
      error: 'expected evm_endpoint_url, endpoint_url or both',
    }),
  { evm_endpoint_url: 'https://node.example.com/jsonrpc', endpoint_url: 'https://node.example.com' },
);

function listGiven({ endpoint_url, evm_endpoint_url }: EndpointBody): ChainEndpoint[] {
  return [
    ...(endpoint_url === undefined ? [] : [{ endpointUrl: endpoint_url }]),
    ...(evm_endpoint_url === undefined ? [] : [{ endpointUrl: evm_endpoint_url, interfaceName: 'evm' }]),
  ];
}

function endpointRoute(
  familyName: ChainFamilyName,
  bodySchema: z.ZodType<EndpointBody, EndpointBody>,
  example: EndpointBody,
) {
  return defineRoute({
    method: 'PATCH',
    path: `/blockchains/:chain_gid/${familyName}`,
    permission: 'api:blockchain:write',
    summary: `Set the node of a blockchain of the family ${familyName}`,
    params: chainParams,
    query: z.strictObject({
      verify: booleanParameter
        .default(true)
        .meta({ description: 'Ask the node first which chain it serves; 422 where it is another one.' }),
    }),
    body: bodySchema,
    example,
    responses: { 200: blockchainSchema },
    problems: [422, 502],
    handle: async ({ params, query, body, signal }, deps) => {
      const chain = await findChain(deps, params.chain_gid);
      if (chain.family !== familyName) {
        throw unprocessableEntity(
          `The blockchain ${chain.gid} is of the family ${chain.family}, not ${familyName}.`,
        );
      }
      const { network, family } = await loadFamily(chain.gid);
      for (const endpoint of listGiven(body))
        await verifyEndpoint({ network, family, endpoint, askNode: query.verify, signal }, deps);
      const row = await deps.prisma.blockchain.update({
        where: { gid: chain.gid },
        data: {
          endpointSealed:
            body.endpoint_url && deps.sealer.seal(body.endpoint_url, endpointContext(chain.gid)),
          ...(body.evm_endpoint_url !== undefined && {
            otherEndpointsSealed: {
              ...(chain.otherEndpointsSealed as object),
              evm: deps.sealer.seal(body.evm_endpoint_url, endpointContext(chain.gid, 'evm')),
            },
          }),
          updatedAt: new Date(),
        },
        include: blockchainInclude,
      });
      announceChain(deps, chain.gid);
      return { status: 200, body: toBlockchainRecord(row) };
    },
  });
}
