/** For password managers: whose password the form is about. Seen and reached by nobody else. */
export function LoginName({ email }: { readonly email: string }) {
  return <input type="text" name="username" autoComplete="username" value={email} readOnly hidden />;
}
