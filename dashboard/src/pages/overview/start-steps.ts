import type { Start } from './overview.ts';

/** A step on the way to a business that uses the API. */
export interface StartStep {
  readonly title: string;
  readonly text: string;
  /** undefined while it cannot be known. */
  readonly isDone: boolean | undefined;
  /** What is pressed to do it. */
  readonly action: string;
  /** Within the business, or within the site for the documentation. */
  readonly href: string;
  readonly isDocs?: boolean;
}

/** The steps in the order in which one takes them. */
export function startSteps({ verified, keyMade, firstCall, connected }: Start): readonly StartStep[] {
  return [
    {
      title: 'Verify your business',
      text: 'Apps can be registered and connected once we know the company behind it.',
      isDone: verified ?? undefined,
      action: 'Verify',
      href: '/settings/business',
    },
    {
      title: 'Create an API key',
      text: 'It lets a program of yours use the API.',
      isDone: keyMade,
      action: 'Create a key',
      href: '/developers/keys/new',
    },
    {
      title: 'Make your first call',
      text: 'With curl and your key. It turns green a few seconds after it has worked.',
      isDone: firstCall,
      action: 'How to',
      href: '/docs/first-call',
      isDocs: true,
    },
    {
      title: 'Connect an app',
      text: 'Register one of your own, or let another one act for your business.',
      isDone: connected,
      action: 'Go to apps',
      href: '/developers/apps',
    },
  ];
}
