/** A framework for which the guide has a whole receiver. A test runs each of them. */
export interface Framework {
  readonly name: string;
  /** Section of the guide. */
  readonly section: string;
  /** Headings whose first block of code is part of the receiver. */
  readonly headings: readonly string[];
}

const module = 'Python';

export const frameworks: readonly Framework[] = [
  { name: 'Express', section: 'express', headings: ['Express'] },
  { name: 'Fastify', section: 'fastify', headings: ['Fastify'] },
  { name: 'Next.js', section: 'nextjs', headings: ['Next.js'] },
  { name: 'FastAPI', section: 'fastapi', headings: [module, 'FastAPI'] },
  { name: 'Django', section: 'django', headings: [module, 'Django'] },
];

/** The receiver for a framework, out of the guide's text. @throws when the guide has none */
export function receiverOf(guide: string, { headings }: Framework): string {
  return headings.map((heading) => firstBlock(guide, heading)).join('\n\n');
}

function firstBlock(guide: string, heading: string): string {
  const [, after = ''] = guide.split(`\n### ${heading}\n`);
  const [, code] = /^```\w*\n(.*?)\n```$/ms.exec(after.split('\n### ')[0] ?? '') ?? [];
  if (code === undefined) throw new Error(`the guide has no code for ${heading}`);
  return code;
}
