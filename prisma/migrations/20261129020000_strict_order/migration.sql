-- Channels with `ordering: "strict"`: what has the same key goes one after the other. It is made when the delivery is stored: 0
-- for all of a channel, a hash of the address where each address has its own order. Null: no order, as before.
ALTER TABLE deliveries ADD COLUMN ordering_key integer;
-- The first open row of each key, and the first of all. Rows without a key are in neither: other channels pay nothing.
CREATE INDEX deliveries_ordered_idx ON deliveries (channel_id, ordering_key, is_historical, id)
  WHERE status IN ('pending', 'held') AND ordering_key IS NOT NULL;
CREATE INDEX deliveries_ordered_first_idx ON deliveries (channel_id, id)
  WHERE status IN ('pending', 'held') AND ordering_key IS NOT NULL;
