/** The eye beside a password, for those who cannot see it; the keyboard reaches it, too. */
export const visibilityToggle = { 'aria-label': 'Show or hide the password', tabIndex: 0 } as const;
