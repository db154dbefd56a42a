-- What shows that the transaction is in its block, as the delivery sends it: JSON, put into the body as data.proof. It is set
-- once, before the first attempt, so that every attempt sends the same bytes.
ALTER TABLE deliveries ADD COLUMN proof text;

-- Proofs that deliveries wait for, one of an event. The notifier asks, a gateway answers: nodes are its to dial.
CREATE TABLE proof_requests (
  event_id uuid PRIMARY KEY,
  chain_gid text NOT NULL,
  transaction_hash text NOT NULL,
  block_number bigint NOT NULL,
  block_hash text NOT NULL,
  requested_at timestamptz(6) NOT NULL DEFAULT clock_timestamp(),
  expires_at timestamptz(6) NOT NULL DEFAULT clock_timestamp() + interval '10 min',
  -- A gateway works at it until then.
  taken_until timestamptz(6),
  -- Null beside answered_at: no node gave it.
  proof text,
  answered_at timestamptz(6)
);
CREATE INDEX proof_requests_open_idx ON proof_requests (requested_at) WHERE answered_at IS NULL;
CREATE INDEX proof_requests_expires_idx ON proof_requests (expires_at);
