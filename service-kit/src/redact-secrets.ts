/** Our secrets and passports, wherever they stand; what touches one may be part of another and goes with it. */
const secretShape = /([a-z]{2})_[0-9A-Za-z]{45,}|eyJ[\w-]+\.[\w-]+\.[\w-]+/g;

/** A text without what has the shape of a secret: of each no more than its kind is left. */
export function redactSecrets(text: string): string {
  return text.replace(secretShape, (_, prefix) => `${prefix ?? 'jwt'}_[redacted]`);
}
