// SPDX-License-Identifier: Apache-2.0
type Schema = Readonly<Record<string, unknown>>;

/**
 * Paths of the members below `node` of a JSON document that have no description, or no example where they are text, a
 * number or free JSON: for OpenAPI and AsyncAPI documents. A reference is described where it stands.
 */
export function listUndocumented(node: unknown, path: string): string[] {
  if (Array.isArray(node)) return node.flatMap((item, index) => listUndocumented(item, `${path}/${index}`));
  if (typeof node !== 'object' || node === null) return [];
  return Object.entries(node).flatMap(([key, value]) => {
    // Examples and defaults are values, not schemas.
    if (['example', 'examples', 'default', 'const', 'enum'].includes(key)) return [];
    if (key !== 'properties') return listUndocumented(value, `${path}/${key}`);
    return Object.entries(value as Record<string, Schema>).flatMap(([name, member]) => [
      ...findGaps(member, `${path}.${name}`),
      ...listUndocumented(member, `${path}.${name}`),
    ]);
  });
}

function findGaps(member: Schema, path: string): string[] {
  const isDescribed = typeof member.description === 'string' && member.description.length > 5;
  return [
    ...(isDescribed ? [] : [`${path}: no description`]),
    ...(isExplained(member) ? [] : [`${path}: no example`]),
  ];
}

/** What holds members or names all of its values needs no example of its own. */
function isExplained(member: Schema): boolean {
  if (['examples', 'example', 'const', 'enum', '$ref', 'properties'].some((key) => key in member))
    return true;
  if (member.type === 'boolean') return true;
  const choices = (member.anyOf ?? member.oneOf ?? member.allOf) as Schema[] | undefined;
  if (choices !== undefined) return choices.filter(({ type }) => type !== 'null').every(isExplained);
  return member.type === 'array' && isExplained(member.items as Schema);
}
