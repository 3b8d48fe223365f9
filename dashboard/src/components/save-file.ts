/** Downloads a file in the browser. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // The download starts after the click returns; Safari cancels that of an address which is gone by then.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
