const shape = /[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}/i;

/** The X-Request-Id in what was typed or pasted, with the header around it or without; undefined where there is none. */
export function requestIdIn(text: string): string | undefined {
  return shape.exec(text)?.[0].toLowerCase();
}
