/** A case-insensitive search for part of a text. Escapes the wildcards of LIKE, because Prisma does not. */
export function containsText(search: string) {
  return { contains: search.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const;
}
