/** Downloads a file in the browser. */
export function saveFile(file: Blob, name: string): void {
  const url = URL.createObjectURL(file);
  const link = document.createElement('a');
  link.href = url;
  link.download = name;
  link.click();
  // Revoked later, because the download starts after the click, and Safari cancels it if the URL is already revoked.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
