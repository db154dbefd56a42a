-- The amount that min_amount compares; more than any while an amount is unknown, because it may be enough. A collection moves none. Where a project pays others out of its outputs, input and change moved nothing.
-- Here and in other functions rows are found by their ids, in plans that sessions keep: one that was made while a table was
-- small must not scan it later.
CREATE OR REPLACE FUNCTION set_amount_max(ids uuid[]) RETURNS void LANGUAGE plpgsql
SET enable_seqscan = off SET enable_hashjoin = off SET enable_mergejoin = off AS $$
BEGIN
  UPDATE transactions t SET amount_max = a.amount
  FROM unnest(ids) AS i (id) LEFT JOIN LATERAL (
    SELECT max(CASE WHEN d.type = 'nft' THEN NULL WHEN d.decimals IS NULL THEN 'Infinity' ELSE trim_scale((r.amount_raw || 'e-' || d.decimals)::numeric) END) AS amount
    FROM transfers r LEFT JOIN assets d ON d.gid = r.asset_gid
    WHERE r.transaction_id = i.id
      AND (r.monitored_addresses = '{}' OR NOT EXISTS (SELECT FROM transfers f WHERE f.transaction_id = i.id AND f.monitored_addresses = '{}'))
  ) a ON true
  WHERE t.id = i.id AND t.amount_max IS DISTINCT FROM a.amount;
END $$;
