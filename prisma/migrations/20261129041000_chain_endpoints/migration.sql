-- Further nodes of a chain, beside the one in blockchains. Services of the release before do not read them.
-- The URL is sealed (libs/secrets) with the context 'chain_endpoint:<id>'; `url_shown` is its scheme, host, and port.
CREATE TABLE chain_endpoints (
  id uuid PRIMARY KEY,
  chain_gid text NOT NULL REFERENCES blockchains (gid) ON DELETE CASCADE,
  url_sealed text NOT NULL,
  url_shown text NOT NULL,
  weight integer NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX chain_endpoints_chain_idx ON chain_endpoints (chain_gid, weight DESC, created_at, id);
