-- Filters of channels are compared letter by letter with what events have. Earlier releases kept them as they were sent: a
-- token in EIP-55, for one, let nothing through. Written anew as the API writes them now.
CREATE OR REPLACE FUNCTION pg_temp.chain_of(gid text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE lower(gid)
    WHEN 'tron:mainnet' THEN 'tron:0x2b6653dc' WHEN 'tron:728126428' THEN 'tron:0x2b6653dc'
    WHEN 'tron:shasta' THEN 'tron:0x94a9059e' WHEN 'tron:2494104990' THEN 'tron:0x94a9059e'
    WHEN 'tron:nile' THEN 'tron:0xcd8690dc' WHEN 'tron:3448148188' THEN 'tron:0xcd8690dc'
    ELSE CASE WHEN gid ~ '^(eip155|bip122|tron):' THEN regexp_replace(lower(gid), '^eip155:0+(?=\d)', 'eip155:') ELSE gid END
  END
$$;
CREATE OR REPLACE FUNCTION pg_temp.asset_of(gid text) RETURNS text LANGUAGE sql IMMUTABLE AS $$
  SELECT CASE
    WHEN chain IN ('eip155:56', 'eip155:97') AND path LIKE 'erc20:%' THEN chain || '/bep20:' || lower(substr(path, 7))
    WHEN chain = 'eip155:56' AND path = 'slip44:714' THEN chain || '/slip44:9006'
    WHEN chain LIKE 'eip155:%' THEN chain || '/' || lower(path)
    ELSE chain || '/' || path
  END FROM (SELECT pg_temp.chain_of(split_part(gid, '/', 1)) AS chain, split_part(gid, '/', 2) AS path) parts
$$;
UPDATE notification_channels c SET config = jsonb_set(config, '{filters}', config -> 'filters' || n.filters)
FROM (
  SELECT id, jsonb_strip_nulls(jsonb_build_object(
    'chain_gids', (SELECT jsonb_agg(DISTINCT pg_temp.chain_of(v)) FROM jsonb_array_elements_text(nullif(config #> '{filters,chain_gids}', 'null')) v),
    'asset_gids', (SELECT jsonb_agg(DISTINCT pg_temp.asset_of(v)) FROM jsonb_array_elements_text(nullif(config #> '{filters,asset_gids}', 'null')) v),
    'address_ids', (SELECT jsonb_agg(DISTINCT lower(v)) FROM jsonb_array_elements_text(nullif(config #> '{filters,address_ids}', 'null')) v),
    'groups', (SELECT jsonb_agg(DISTINCT btrim(v)) FROM jsonb_array_elements_text(nullif(config #> '{filters,groups}', 'null')) v WHERE btrim(v) <> '')
  )) AS filters FROM notification_channels WHERE jsonb_typeof(config -> 'filters') = 'object') n
WHERE c.id = n.id AND NOT config -> 'filters' @> n.filters;
