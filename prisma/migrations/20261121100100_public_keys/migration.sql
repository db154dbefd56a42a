-- Extended public keys and the addresses derived from them -----------------------------------------------------------
CREATE TABLE public_keys (
  id uuid PRIMARY KEY DEFAULT gen_random_uuid(),
  project_id uuid NOT NULL REFERENCES projects (id),
  label text,
  extended_public_key text NOT NULL,
  fingerprint text NOT NULL,
  -- Written with ': m/84'/0'/0'.
  derivation_path text NOT NULL,
  purpose integer NOT NULL,
  account_index bigint NOT NULL,
  chain_family text NOT NULL,
  chain_gid text NOT NULL,
  address_format text NOT NULL,
  gap_limit integer NOT NULL DEFAULT 20,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  UNIQUE (project_id, extended_public_key, chain_gid, address_format)
);
CREATE INDEX public_keys_project_created_idx ON public_keys (project_id, created_at DESC);

ALTER TABLE addresses
  ADD COLUMN public_key_id uuid REFERENCES public_keys (id),
  ADD COLUMN derivation_change integer,
  ADD COLUMN derivation_index bigint,
  -- A transaction touched it: what the gap limit counts by.
  ADD COLUMN is_used boolean NOT NULL DEFAULT false,
  ADD CONSTRAINT addresses_hd_check CHECK ((kind = 'hd') = (public_key_id IS NOT NULL AND derivation_change IS NOT NULL AND derivation_index IS NOT NULL)),
  ADD CONSTRAINT addresses_derivation_key UNIQUE (public_key_id, derivation_change, derivation_index);
CREATE INDEX addresses_used_idx ON addresses (public_key_id, derivation_change, derivation_index DESC) WHERE is_used;
