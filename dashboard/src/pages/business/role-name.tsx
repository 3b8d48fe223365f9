import classes from './business.module.css';
import { type Role, roles } from './team.ts';

/** Owner or Member. */
export function RoleName({ role }: { readonly role: Role }) {
  return <span className={classes.word}>{roles[role].name}</span>;
}
