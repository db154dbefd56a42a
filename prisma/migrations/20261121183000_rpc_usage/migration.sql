-- RPC gateway: what each key called, by the hour ---------------------------------------------------------------------
-- Added to by every replica. Keys are named, not referenced: their usage outlives them.
CREATE TABLE rpc_usage (
  key_id uuid NOT NULL,
  workspace_id uuid NOT NULL,
  chain_gid text NOT NULL,
  -- A method this build knows, or `other`.
  method text NOT NULL,
  hour timestamptz NOT NULL,
  requests bigint NOT NULL,
  failures bigint NOT NULL,
  cached bigint NOT NULL,
  bytes_in bigint NOT NULL,
  bytes_out bigint NOT NULL,
  PRIMARY KEY (key_id, hour, chain_gid, method)
);
CREATE INDEX rpc_usage_workspace_hour_idx ON rpc_usage (workspace_id, hour DESC);
