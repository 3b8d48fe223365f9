import classes from './code-block.module.css';
import { CopyButton } from './copy-button.tsx';

/** Lines to paste into a terminal or a program. */
export function CodeBlock({ code, what }: { readonly code: string; readonly what: string }) {
  return (
    <div className={classes.block}>
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
