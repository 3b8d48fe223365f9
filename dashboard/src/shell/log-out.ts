import { currentCsrfToken } from '../api/csrf-token.ts';
import { beginLeaving } from '../api/leave-for-login.ts';

/** Leaves by the form of the server's pages. @param continueTo where the next login leads, for who goes on as somebody else */
export function logOut(continueTo?: string): void {
  const form = document.createElement('form');
  form.method = 'post';
  form.action = '/logout';
  form.hidden = true;
  const fields = { _csrf: currentCsrfToken(), ...(continueTo !== undefined && { continue: continueTo }) };
  for (const [name, value] of Object.entries(fields)) {
    const input = document.createElement('input');
    input.type = 'hidden';
    Object.assign(input, { name, value });
    form.append(input);
  }
  beginLeaving();
  document.body.append(form);
  form.submit();
}
