/** Matches a complete secret, a secret of webhooks, or a secret as pages show it: `sk_…1a2B`. */
const secret =
  /(?:[a-z]{2}_(?:…|\.{3}|[0-9A-Za-z]{41,})|whs(?:ec|k)_[0-9A-Za-z+/]{20,})([0-9A-Za-z+/]{4})(?![0-9A-Za-z+/])/;

/** A search text. A secret is reduced to its last four characters, because URLs and logs keep search texts. */
export const shortenSecret = (text: string): string => secret.exec(text)?.[1] ?? text;
