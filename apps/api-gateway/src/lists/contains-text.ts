/** A case-insensitive search for a part of a text. Prisma leaves the wildcards of LIKE to the caller. */
export function containsText(search: string) {
  return { contains: search.replace(/[\\%_]/g, '\\$&'), mode: 'insensitive' } as const;
}
