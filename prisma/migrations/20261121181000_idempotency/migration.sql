-- What was asked under an Idempotency-Key (decisions.md §8). A key of the database opens none of the answers: each is
-- sealed with the API key that asked, of which only a hash is stored.
CREATE TABLE idempotency_keys (
  api_key_id uuid NOT NULL REFERENCES api_keys (id) ON DELETE CASCADE,
  -- Both keyed with the API key: neither the client's text nor its request can be guessed from here.
  key_hash bytea NOT NULL,
  fingerprint bytea NOT NULL,
  -- Of the process that carries the request out; one that was given up writes nothing any more.
  attempt uuid NOT NULL,
  locked_until timestamptz NOT NULL,
  -- Set in the transaction of the request itself: it never happens twice.
  is_carried_out boolean NOT NULL DEFAULT false,
  answer bytea,
  created_at timestamptz NOT NULL DEFAULT now(),
  expires_at timestamptz NOT NULL,
  PRIMARY KEY (api_key_id, key_hash)
);
CREATE INDEX idempotency_keys_expires_at_idx ON idempotency_keys (expires_at);
