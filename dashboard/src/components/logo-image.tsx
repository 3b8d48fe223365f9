import classes from './logo-image.module.css';

/** The logo of a business. Shows only the URL of an image on another site, because pages load none from there. */
export function LogoImage({ logo, name }: { readonly logo: string; readonly name: string }) {
  if (!isOwn(logo)) return <code className={classes.url}>{logo}</code>;
  return <img className={classes.logo} src={logo} alt={`Logo of ${name}`} width={64} height={64} />;
}

/** Whether an image is served by the platform. */
function isOwn(url: string): boolean {
  return URL.canParse(url) && new URL(url).origin === location.origin;
}
