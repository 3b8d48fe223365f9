/** Why the platform cannot start here, in one sentence that says what to do. */
export class StartError extends Error {
  override readonly name = 'StartError';
}
