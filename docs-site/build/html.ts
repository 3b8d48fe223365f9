const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Text in HTML or XML. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => entities[character] ?? '');
}

/** Elements within a line, which separate no words. */
const inline = /<\/?(?:a|code|em|span|strong)\b[^>]*>/g;

/** The text of HTML that the build has made, in one line. */
export function textOf(html: string): string {
  const text = html
    .replace(inline, '')
    .replace(/<[^>]+>/g, ' ')
    .replace(/\s+/g, ' ');
  return Object.entries(entities)
    .toReversed()
    .reduce((rest, [character, entity]) => rest.replaceAll(entity, character), text)
    .trim();
}
