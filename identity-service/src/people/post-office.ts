import type { Background } from '../background.ts';
import type { SendMail } from '../mail/mailer.ts';
import type { Letter } from './letters.ts';

/** What operations need to write to people without letting the answer wait. */
export interface PostOffice {
  readonly sendMail: SendMail;
  readonly background: Background;
  /** Origin of the links in letters. */
  readonly publicUrl: string;
}

/** Posts a letter when the answer is out. */
export function post({ sendMail, background }: PostOffice, to: string, letter: Letter): void {
  background.run('mail', () => sendMail({ to, ...letter }));
}
