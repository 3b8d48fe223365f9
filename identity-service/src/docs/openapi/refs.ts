// Where a document points to its own parts.
export const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });

export const response = (name: string) => ({ $ref: `#/components/responses/${name}` });

export const parameter = (name: string) => ({ $ref: `#/components/parameters/${name}` });

/** A body of JSON, with one example. */
export const json = (bodySchema: object, example: unknown) => ({
  'application/json': { schema: bodySchema, example },
});

/** Several examples by name. @param bySummary each under what it shows */
export const examplesOf = (bySummary: Readonly<Record<string, unknown>>) =>
  Object.fromEntries(
    Object.entries(bySummary).map(([summary, value], index) => [`example${index + 1}`, { summary, value }]),
  );

/** A body of JSON, with several. */
export const jsonOf = (bodySchema: object, bySummary: Readonly<Record<string, unknown>>) => ({
  'application/json': { schema: bodySchema, examples: examplesOf(bySummary) },
});
