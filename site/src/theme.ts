// Runs before the page is painted, so that it does not flash in the other colours.
const chosen = localStorage.getItem('itemwright-guides-theme');
const isDark = chosen === null ? matchMedia('(prefers-color-scheme: dark)').matches : chosen === 'dark';
document.documentElement.dataset.theme = isDark ? 'dark' : 'light';
