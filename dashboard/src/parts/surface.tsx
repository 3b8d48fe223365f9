import type { HTMLAttributes, ReactNode } from 'react';
import classes from './surface.module.css';

/** What stands apart from the page. */
export function Surface({
  component: Tag = 'div',
  className = '',
  ...attributes
}: HTMLAttributes<HTMLElement> & { readonly component?: 'div' | 'section' | 'li' }) {
  return <Tag className={`${classes.surface} ${className}`} {...attributes} />;
}

/** A list of surfaces, each an `li`. */
export function SurfaceList({ label, children }: { readonly label: string; readonly children: ReactNode }) {
  return (
    <ul className={classes.list} aria-label={label}>
      {children}
    </ul>
  );
}
