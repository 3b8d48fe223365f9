import { iconPath, stylesheetPath } from './assets.ts';
import { type Html, html, textOf } from './html.ts';

/** What is particular about a document of ours. */
export interface Document {
  /** Of the window. */
  readonly title: string;
  /** What follows in the head. */
  readonly head: Html;
  readonly body: Html;
}

/** A whole document, in our style. */
export function renderDocument({ title, head, body }: Document): string {
  return textOf(html`<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <meta name="color-scheme" content="light dark">
    <title>${title} · Business API</title>
    <link rel="icon" type="image/svg+xml" href="${iconPath}">
    <link rel="stylesheet" href="${stylesheetPath}">
    ${head}
  </head>
  ${body}
</html>
`);
}
