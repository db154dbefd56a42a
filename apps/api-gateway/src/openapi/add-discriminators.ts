import type { JsonSchema } from '@chainwatch/http';

type Components = Readonly<Record<string, JsonSchema>>;

/** Tells which member chooses among the alternatives of a `oneOf`: generated clients narrow by it. Changes `node`. */
export function addDiscriminators(node: unknown, components: Components): void {
  if (Array.isArray(node)) return node.forEach((item) => addDiscriminators(item, components));
  if (typeof node !== 'object' || node === null) return;
  const schema = node as JsonSchema;
  for (const value of Object.values(schema)) addDiscriminators(value, components);
  const discriminator = Array.isArray(schema.oneOf) && findDiscriminator(schema.oneOf, components);
  if (discriminator) schema.discriminator = discriminator;
}

/** A mapping leads to named schemas alone (OpenAPI 3.1, Discriminator Object). */
function findDiscriminator(choices: readonly JsonSchema[], components: Components): JsonSchema | undefined {
  const references = choices.map(({ $ref }) => $ref).filter((one) => typeof one === 'string');
  if (references.length < choices.length) return undefined;
  const members = references.map((one) => valuesOf(components[one.split('/').at(-1)!]!));
  const propertyName = Object.keys(members[0]!).find(
    (name) =>
      new Set(members.map((one) => one[name]).filter((one) => one !== undefined)).size === choices.length,
  );
  if (propertyName === undefined) return undefined;
  const mapping = Object.fromEntries(references.map((one, place) => [members[place]![propertyName]!, one]));
  return { propertyName, mapping };
}

/** The text of the members that have one value. */
function valuesOf({ properties = {} }: JsonSchema): Record<string, string> {
  const members = Object.entries(properties as Record<string, JsonSchema>);
  return Object.fromEntries(
    members.flatMap(([name, member]) => (typeof member.const === 'string' ? [[name, member.const]] : [])),
  );
}
