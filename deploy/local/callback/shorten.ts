/** The beginning and the end of a secret: enough to recognise it, of no use to anybody. */
export function shorten(secret: string): string {
  return `${secret.slice(0, 7)}…${secret.slice(-4)}`;
}

/** A text in which every secret of the platform (`at_…`, `rt_…`, `ac_…`, `cs_…`) is shortened. */
export function shortenSecrets(text: string): string {
  return text.replace(/\b[a-z]{2}_[0-9A-Za-z]{45}\b/g, shorten);
}
