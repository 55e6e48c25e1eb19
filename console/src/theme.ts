import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from '@mantine/core';

const verdigris: MantineColorsTuple = [
  '#effcf9',
  '#d8f5ee',
  '#b0e9dc',
  '#80d9c6',
  '#4fc3ad',
  '#2aa792',
  '#178a79',
  '#0f6f62',
  '#0c594f',
  '#08453e',
];

const slate: MantineColorsTuple = [
  '#d5dae1',
  '#b6bec9',
  '#919cab',
  '#6b7686',
  '#3b4452',
  '#2d3541',
  '#222934',
  '#1a2029',
  '#131820',
  '#0d1117',
];

const CLOSABLE = { closeButtonProps: { 'aria-label': 'Close' } };

export const theme = createTheme({
  primaryColor: 'verdigris',
  primaryShade: 7,
  colors: { verdigris, dark: slate },
  autoContrast: true,
  defaultRadius: 'md',
  respectReducedMotion: true,
  cursorType: 'pointer',
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", "Liberation Sans", sans-serif',
  fontFamilyMonospace: 'ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono", Menlo, Consolas, monospace',
  headings: {
    fontWeight: '650',
    sizes: {
      h1: { fontSize: '1.6rem', lineHeight: '1.25' },
      h2: { fontSize: '1.15rem', lineHeight: '1.35' },
      h3: { fontSize: '1rem', lineHeight: '1.4' },
    },
  },
  components: {
    Card: { defaultProps: { withBorder: true, radius: 'md', padding: 'lg' } },
    Table: { defaultProps: { verticalSpacing: 7, highlightOnHover: true } },
    Tooltip: { defaultProps: { openDelay: 250, withArrow: true, multiline: true, maw: 320 } },
    Modal: { defaultProps: { ...CLOSABLE, centered: true, overlayProps: { backgroundOpacity: 0.5 } } },
    Drawer: { defaultProps: { ...CLOSABLE, position: 'right', overlayProps: { backgroundOpacity: 0.4 } } },
    // Its placeholder for the focus is no item, which screen readers do not expect in a menu.
    Menu: { defaultProps: { withInitialFocusPlaceholder: false } },
    Notification: { defaultProps: { closeButtonProps: { 'aria-label': 'Dismiss' } } },
    NumberInput: { defaultProps: { hideControls: true } },
    Badge: { defaultProps: { variant: 'light', tt: 'none', fw: 550 } },
  },
});

/** The default greys and reds are too pale for small text; these meet WCAG AA on every surface in use. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    '--mantine-color-red-filled': '#c02626',
    '--mantine-color-red-filled-hover': '#a61e1e',
    '--mantine-color-body': '#f7f8fa',
    '--mantine-color-text': '#1a2029',
    '--mantine-color-dimmed': '#566070',
    '--mantine-color-placeholder': '#697586',
    '--mantine-color-error': '#c02626',
    '--mantine-color-anchor': '#0f6f62',
    '--mantine-color-verdigris-light-hover': '#d8f5ee',
    '--mantine-color-verdigris-light-color': '#0f6f62',
    '--mantine-color-yellow-light-color': '#855000',
    '--console-surface': '#ffffff',
    '--console-line': '#e2e6eb',
    '--console-sunken': '#eef1f4',
    '--console-more': '#0f6f62',
    '--console-less': '#b0421c',
  },
  dark: {
    '--mantine-color-red-filled': '#c02626',
    '--mantine-color-red-filled-hover': '#a61e1e',
    '--mantine-color-body': '#11161d',
    '--mantine-color-text': '#e3e8ef',
    '--mantine-color-dimmed': '#9aa6b6',
    '--mantine-color-placeholder': '#8793a3',
    '--mantine-color-error': '#ff9191',
    '--mantine-color-anchor': '#5fd0ba',
    '--mantine-color-verdigris-light': 'rgb(42 167 146 / 18%)',
    '--mantine-color-verdigris-light-hover': 'rgb(42 167 146 / 28%)',
    '--mantine-color-verdigris-light-color': '#5fd0ba',
    '--mantine-color-red-light': 'rgb(250 82 82 / 14%)',
    '--mantine-color-red-light-hover': 'rgb(250 82 82 / 24%)',
    '--mantine-color-red-light-color': '#ff9d9d',
    '--mantine-color-yellow-light': 'rgb(250 176 5 / 13%)',
    '--mantine-color-yellow-light-color': '#ffd479',
    '--mantine-color-gray-light': 'rgb(145 156 171 / 16%)',
    '--mantine-color-gray-light-hover': 'rgb(145 156 171 / 26%)',
    '--mantine-color-gray-light-color': '#c3ccd6',
    '--console-surface': '#1a2029',
    '--console-line': '#2d3541',
    '--console-sunken': '#141a22',
    '--console-more': '#5fd0ba',
    '--console-less': '#ffab87',
  },
});
