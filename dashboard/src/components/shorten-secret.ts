/** A whole secret of 45 characters behind its prefix, one of webhooks, or one as pages show it: `sk_…1a2B`. */
const secret =
  /(?:[a-z]{2}_(?:…|\.{3}|[0-9A-Za-z]{41,})|whs(?:ec|k)_[0-9A-Za-z+/]{20,})([0-9A-Za-z+/]{4})(?![0-9A-Za-z+/])/;

/** A text to search for; of one with a secret its last four characters, since addresses and logs keep what is searched for. */
export const shortenSecret = (text: string): string => secret.exec(text)?.[1] ?? text;
