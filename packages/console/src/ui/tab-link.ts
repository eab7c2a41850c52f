/** A link is the current one if its search parameters are there too; one that is left out must be absent. */
export const TAB = { includeSearch: true, explicitUndefined: true } as const;
