// SPDX-License-Identifier: Apache-2.0
/** CAIP-2 as interface.md restricts it: no hyphen in the namespace (decisions.md §1.3; no supported namespace has one). */
export const CHAIN_GID_PATTERN = /^[a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}$/;

/** The path form of an asset, `<asset_namespace>:<asset_reference>` (interface.md, Identifier formats). */
export const ASSET_PATH_PATTERN = /^[a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}$/;

/** CAIP-19 asset type, `<chain_gid>/<asset_path>`. */
export const ASSET_GID_PATTERN = /^[a-z0-9]{3,8}:[-_a-zA-Z0-9]{1,32}\/[a-z0-9]{3,8}:[-.%a-zA-Z0-9]{1,128}$/;
