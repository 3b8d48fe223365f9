/** Recovery codes as a file that says what they are. */
export function recoveryFile(codes: readonly string[], email: string): string {
  const head = [
    'Recovery codes for Business API',
    `Account: ${email}`,
    '',
    'Each of them replaces a code of the authenticator app once.',
    'New codes take the place of these.',
    '',
  ];
  return `${[...head, ...codes].join('\n')}\n`;
}
