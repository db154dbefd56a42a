-- Addresses of a family begin alike, and most of a project's may be of another.
CREATE INDEX addresses_hd_display_idx ON addresses (project_id, display, id) WHERE kind = 'hd';
