/** Two letters that stand for no country, and yet have a name. */
const noCountries = new Set('AC CP CQ DG EA EU EZ IC QO TA UN XA XB ZZ'.split(' '));
const letters = [...'ABCDEFGHIJKLMNOPQRSTUVWXYZ'];
const names = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' });

/** A country by its code (ISO 3166-1 alpha-2); the code itself where it is not known. */
export function countryName(code: string): string {
  return names.of(code) ?? code;
}

/** Every country that the browser knows, by name. */
export function allCountries(): { readonly value: string; readonly label: string }[] {
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  return codes
    .filter((code) => !noCountries.has(code) && names.of(code) !== undefined && isCurrent(code))
    .map((code) => ({ value: code, label: countryName(code) }))
    .sort((a, b) => a.label.localeCompare(b.label, 'en'));
}

/** Not the code of a country that goes by another one now, as DD. */
function isCurrent(code: string): boolean {
  return new Intl.Locale(`und-${code}`).region === code;
}
