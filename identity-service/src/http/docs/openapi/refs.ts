// Where a document points to its own parts.

export const schema = (name: string) => ({ $ref: `#/components/schemas/${name}` });
export const response = (name: string) => ({ $ref: `#/components/responses/${name}` });
export const parameter = (name: string) => ({ $ref: `#/components/parameters/${name}` });

/** A body of JSON. @param examples by name; each with a summary and a value */
export const json = (bodySchema: object, examples: object) => ({
  'application/json': { schema: bodySchema, examples },
});
