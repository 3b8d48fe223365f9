import classes from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

/** Lines to paste into a terminal or a program. */
export function CodeBlock({
  code,
  what,
  wraps = false,
}: {
  readonly code: string;
  readonly what: string;
  /** For one long line, such as an address: shown whole instead of scrolling. */
  readonly wraps?: boolean;
}) {
  return (
    <div className={classes.block} data-wraps={wraps || undefined}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what scrolls must be reached by keyboard */}
      <pre className={classes.code} tabIndex={0}>
        <code>{code}</code>
      </pre>
      <div className={classes.copy}>
        <CopyButton value={code} what={what} />
      </div>
    </div>
  );
}
