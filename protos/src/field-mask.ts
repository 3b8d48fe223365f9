// google.protobuf.FieldMask: which fields of a message an update changes.

/** The mask that names every field of `changes`: `{ redirectUris: […] }` is `{ paths: ['redirect_uris'] }`. */
export function maskOf(changes: object): { readonly paths: string[] } {
  const paths = Object.keys(changes).map((field) =>
    field.replace(/[A-Z]/g, (capital) => `_${capital.toLowerCase()}`),
  );
  return { paths };
}

/** Fields as messages have them in TypeScript: `redirectUris` for the path `redirect_uris`. */
export function fieldsOf(mask: { readonly paths: readonly string[] } | null): string[] {
  const paths = mask?.paths ?? [];
  return paths.map((path) => path.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase()));
}
