// SPDX-License-Identifier: Apache-2.0
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
  const propertyName = Object.keys(members[0]!).find((name) => {
    const values = members.map((one) => one[name]);
    if (values.includes(undefined)) return false;
    return new Set(values.flat()).size === values.flat().length;
  });
  if (propertyName === undefined) return undefined;
  const mapping = Object.fromEntries(
    references.flatMap((one, place) => members[place]![propertyName]!.map((value) => [value, one])),
  );
  return { propertyName, mapping };
}

/** The texts that a member may have, of those that have only these. */
function valuesOf({ properties = {} }: JsonSchema): Record<string, readonly string[]> {
  const members = Object.entries(properties as Record<string, JsonSchema>);
  return Object.fromEntries(
    members.flatMap(([name, { const: only, enum: several }]) => {
      const values: readonly unknown[] = Array.isArray(several) ? several : [only];
      return values.every((value) => typeof value === 'string') ? [[name, values]] : [];
    }),
  );
}
