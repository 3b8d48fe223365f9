import {
  type AnchorProps,
  createTheme,
  type MenuProps,
  type ModalProps,
  type NavLinkProps,
  type TooltipProps,
} from '@mantine/core';
import { accent, dark, gray, green, red, yellow } from './colours.ts';
import classes from './theme.module.css';

const systemFonts =
  'ui-sans-serif, system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif';

/** Mantine theme. Colours are in colours.ts and css-variables.ts. */
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
  // Plain objects instead of `Component.extend`, which would load every component with the first page.
  components: {
    Alert: { classNames: { root: classes.alert } },
    Anchor: { defaultProps: { inherit: true } satisfies Partial<AnchorProps> },
    CloseButton: { defaultProps: { 'aria-label': 'Close' } },
    Input: { classNames: { input: classes.input } },
    // The focus placeholder is not a menu item, which axe-core reports.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } satisfies Partial<MenuProps> },
    Modal: {
      defaultProps: {
        centered: true,
        overlayProps: { backgroundOpacity: 0.45 },
        // The header of a dialog is not a banner landmark.
        attributes: { header: { role: 'presentation' } },
      } satisfies Partial<ModalProps>,
      classNames: { content: classes.dialog, title: classes.dialogTitle },
    },
    NavLink: { defaultProps: { noWrap: true } satisfies Partial<NavLinkProps> },
    Skeleton: { classNames: { root: classes.skeleton } },
    Tooltip: { defaultProps: { withArrow: true, openDelay: 200 } satisfies Partial<TooltipProps> },
  },
});
