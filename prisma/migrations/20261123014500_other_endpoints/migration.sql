-- A family says which interfaces its nodes have: the URL of the first is `endpoint_sealed`, those of the others stand here by
-- their names, each sealed (libs/secrets) with the context '<name>_endpoint:<gid>'.
ALTER TABLE blockchains ADD COLUMN other_endpoints_sealed jsonb NOT NULL DEFAULT '{}';
UPDATE blockchains SET other_endpoints_sealed = jsonb_build_object('evm', evm_endpoint_sealed) WHERE evm_endpoint_sealed IS NOT NULL;
ALTER TABLE blockchains DROP COLUMN evm_endpoint_sealed;
