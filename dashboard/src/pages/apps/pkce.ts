/** A verifier and its challenge (RFC 7636), with a state. */
export interface FlowValues {
  readonly verifier: string;
  readonly challenge: string;
  readonly state: string;
}

/** Fresh values for one authorization request; undefined where the browser has no cryptography: over plain http. */
export async function makeFlowValues(): Promise<FlowValues | undefined> {
  // Only secure contexts have it, whatever the types say.
  if (!isSecureContext) return undefined;
  const verifier = randomText();
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier));
  return { verifier, challenge: base64Url(new Uint8Array(hash)), state: randomText().slice(0, 22) };
}

function randomText(): string {
  return base64Url(crypto.getRandomValues(new Uint8Array(32)));
}

function base64Url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replace(/=+$/, '');
}
