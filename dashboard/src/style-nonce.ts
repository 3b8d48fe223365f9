declare global {
  /** Read by react-remove-scroll and others for the styles they inject. */
  var __webpack_nonce__: string;
}

/** Nonce of the Content Security Policy for styles. Browsers expose it as a property, not as an attribute. */
export const styleNonce = document.querySelector<HTMLMetaElement>('meta[property=csp-nonce]')?.nonce ?? '';

globalThis.__webpack_nonce__ = styleNonce;
