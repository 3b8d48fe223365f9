/** The name in a Content-Disposition header; undefined where there is none. */
export function fileNameIn(disposition: string | null): string | undefined {
  return /filename="([\w.-]+)"/.exec(disposition ?? '')?.[1];
}

/** Hands a file to the browser, which saves it where the person wants it. */
export function save(file: Blob, name: string): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = address;
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(address), 60_000);
}
