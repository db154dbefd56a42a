-- Native coins are a handful among the assets: a page of them was looked for through all.
CREATE INDEX assets_type_idx ON assets (type, created_at, gid);
