-- The other orders of derived addresses, of which a project may have few among many imported ones.
CREATE INDEX addresses_hd_created_idx ON addresses (project_id, created_at, id) INCLUDE (chain_family, format, is_monitored, is_used, derivation_change) WHERE kind = 'hd';
CREATE INDEX addresses_hd_label_idx ON addresses (project_id, label, id) WHERE kind = 'hd';
