declare global {
  /** Where react-remove-scroll and others look for the nonce of the styles that they add. */
  var __webpack_nonce__: string;
}

/** What the page's policy lets styles in by; other styles are refused. Browsers show it to scripts as a property only. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

globalThis.__webpack_nonce__ = styleNonce;
