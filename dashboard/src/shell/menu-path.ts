/** Sections of the menu that lead to a page: `Settings`, `Developers`. @param path of the page, with or without its business */
export function menuPathOf(path: string): readonly string[] {
  if (/^(?:\/\d+)?\/settings\/developers(?:\/|$)/.test(path)) return ['Settings', 'Developers'];
  return /^(?:\/\d+)?\/settings(?:\/|$)/.test(path) ? ['Settings'] : [];
}
