import { Alert, Anchor, createTheme, Input, Modal, NavLink, Skeleton, Tooltip } from '@mantine/core';
import { accent, dark, gray, green, red, yellow } from './colours.ts';
import classes from './theme.module.css';

const systemFonts =
  'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** How everything looks. Colours are in colours.ts and css-variables.ts. */
export const theme = createTheme({
  colors: { accent, dark, gray, red, green, yellow },
  primaryColor: 'accent',
  primaryShade: 6,
  black: gray[9],
  fontFamily: systemFonts,
  fontFamilyMonospace: 'ui-monospace, SFMono-Regular, Menlo, Consolas, "Liberation Mono", monospace',
  fontSizes: { xs: '0.75rem', sm: '0.875rem', md: '0.9375rem', lg: '1.0625rem', xl: '1.25rem' },
  defaultRadius: 'md',
  headings: {
    fontFamily: systemFonts,
    fontWeight: '620',
    sizes: {
      h1: { fontSize: '1.5rem', lineHeight: '1.3' },
      h2: { fontSize: '1.0625rem', lineHeight: '1.4' },
      h3: { fontSize: '0.9375rem', lineHeight: '1.45' },
    },
  },
  cursorType: 'pointer',
  respectReducedMotion: true,
  components: {
    Alert: Alert.extend({ classNames: { root: classes.alert ?? '' } }),
    Anchor: Anchor.extend({ defaultProps: { inherit: true } }),
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    Input: Input.extend({ classNames: { input: classes.input ?? '' } }),
    Modal: Modal.extend({
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        // A dialog's head is no banner of the page.
        attributes: { header: { role: 'presentation' } },
      },
      classNames: { title: classes.dialogTitle ?? '' },
    }),
    NavLink: NavLink.extend({ defaultProps: { noWrap: true } }),
    Skeleton: Skeleton.extend({ classNames: { root: classes.skeleton ?? '' } }),
    Tooltip: Tooltip.extend({ defaultProps: { withArrow: true, openDelay: 200 } }),
  },
});
