import { encode } from 'uqr';
import { type Html, html } from '../pages/html.ts';

/** Light modules around the code, without which cameras do not find it. */
const border = 4;

/** Text as a QR code, as the one path of an SVG picture of `size` by `size`. */
export function qrPath(text: string): { readonly size: number; readonly path: string } {
  const { data, size } = encode(text, { ecc: 'M', border });
  const squares = data.flatMap((row, y) =>
    row.flatMap((isDark, x) => (isDark ? [`M${x} ${y}h1v1h-1z`] : [])),
  );
  return { size, path: squares.join('') };
}

/** Text as a QR code: an inline picture that needs no script and no style. */
export function qrCode(text: string, label: string): Html {
  const { size, path } = qrPath(text);
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path
  fill="#000000" d="${path}"></path></svg>`;
}
