-- A family says which interfaces its nodes have: the URL of the first is `endpoint_sealed`, those of the others stand here by
-- their names, each sealed (libs/secrets) with the context '<name>_endpoint:<gid>'.
-- Services of 0.1.0 read and write `evm_endpoint_sealed` while they are replaced: prisma/sql/share_evm_endpoint.sql keeps it
-- and the member `evm` equal. A release that nobody upgrades to from 0.1.0 drops the column and the trigger.
ALTER TABLE blockchains ADD COLUMN other_endpoints_sealed jsonb NOT NULL DEFAULT '{}';
UPDATE blockchains SET other_endpoints_sealed = jsonb_build_object('evm', evm_endpoint_sealed) WHERE evm_endpoint_sealed IS NOT NULL;
