import { parseAllDocuments } from 'yaml';

/** The documents of a YAML file, read by the rules of 1.1 as Kubernetes does, empty ones left out. @throws for invalid YAML */
export function parseYaml(text: string, place: string): unknown[] {
  const documents = parseAllDocuments(text, { version: '1.1', merge: true });
  return documents.flatMap((document) => {
    const [error] = [...document.errors, ...document.warnings];
    if (error !== undefined) throw new Error(`${place}: ${error.message}`);
    const value: unknown = document.toJS();
    return value === null ? [] : [value];
  });
}
