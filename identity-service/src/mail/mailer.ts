/** A mail to one person. */
export interface Mail {
  readonly to: string;
  readonly subject: string;
  /** Plain text. */
  readonly text: string;
}

/** Hands a mail over. Rejects when nobody has taken it within its time. */
export type SendMail = (mail: Mail) => Promise<void>;
